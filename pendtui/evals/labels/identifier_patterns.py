"""The shapes that the sweep looks for, as texts: the sweep compiles a pattern when a record calls for it."""

SSN = r"(?<![\w-])(?!000|666|9[0-9]{2})[0-9]{3}[- ](?!00)[0-9]{2}[- ](?!0000)[0-9]{4}(?![\w-])"
SSN_LABELED = (
    r"(?<![a-z])(?:ssn|ss ?#|social(?: security)?(?: (?:number|no|num|nbr)\.?)?)"
    r"[\s:#=.]{0,4}(?:is |was )?([0-9]{9})(?![0-9])"
)

_LETTER = "[AC-HJKMNP-RT-Y]"
_EITHER = "[0-9AC-HJKMNP-RT-Y]"
MBI = (
    rf"(?<![A-Z0-9])[1-9]{_LETTER}{_EITHER}[0-9][- ]?{_LETTER}{_EITHER}[0-9][- ]?"
    rf"{_LETTER}{{2}}[0-9]{{2}}(?![A-Z0-9])"
)
"""A Medicare beneficiary identifier: eleven places, never the letters S L O I B Z; dashes are for display."""

PHONE = (
    r"(?<![\w-])(?<![0-9]\.)(?:\+?1[ .-]?)?(?:\([2-9][0-9]{2}\)[ .-]?|[2-9][0-9]{2}[ ./-]?)"
    r"[2-9][0-9]{2}[ .-]?[0-9]{4}(?![\w-]|\.[0-9])"
)
PHONE_WORDS = ("phone", "telephone", "tel", "cell", "mobile", "fax", "call", "ph")
PHONE_LOCAL = (
    r"\b(?:phone|telephone|tel|cell|mobile|fax|call(?:ed)?(?: back)?|ph)\b[^\n0-9]{0,20}"
    r"(?<![0-9-])([2-9][0-9]{2}[-. ][0-9]{4})(?![\w-])"
)
PHONE_WORD_BEFORE = r"(?:phone|tel|cell|mobile|fax|call|called|\bph|\bcb)\W{0,4}(?:at |on |no\.? |number )?\W{0,2}$"
SPACED_TEN = r"[0-9]{3} [0-9]{3} [0-9]{4}"
CODE_WORD_BEFORE = r"\b(?:rev|revenue|codes?|edits?|cpt|hcpcs|lines?|units?|npi)\b"

EMAIL = r"(?<![\w.+%-])[\w.+%-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"
ZIP_PLUS_4 = r"(?<![\w-])[0-9]{5}-[0-9]{4}(?![\w-])"

_NUMBER = r"[0-9](?<![\w#/.-].)[0-9]{0,5}[A-Za-z]?(?:-[0-9]{1,4})? "
# the look behind stands after the first digit, so that a search goes from digit to digit
_HEADING = r"(?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\.? )?"
_TITLE_WORDS = r"(?:[A-Z][a-z'.]{1,20} |[0-9]{1,3}(?:st|nd|rd|th) ){1,3}"
_CAPITAL_WORDS = (
    r"(?:(?!(?:UNITS?|LINES?|DAYS?|VISITS?|HOURS?|CODES?|AND|OR|OF|FOR|NOT|THE|ON|IN|TO|CLAIMS?|PENDS?|FROM|"
    r"REFER|NOTES?|EDITS?|PRIOR|AUTH|APPROVED|BILLED|REV|CPT|PLACE) )"
    r"(?:[A-Z]{3,20}|[0-9]{1,3}(?:ST|ND|RD|TH)) ){1,3}"
)
_ANY_WORDS = r"(?:[A-Za-z][A-Za-z'.]{1,20} |[0-9]{1,3}(?:st|nd|rd|th) ){1,3}"
_END = r"(?![\w'])(?! ?[0-9#:-])"
_ANY_KIND = "[Ss]treet|STREET|[Aa]venue|AVENUE|[Bb]oulevard|BOULEVARD|Ave|AVE|Blvd|BLVD|Hwy|HWY"
_TITLE_KIND = (
    "Road|Rd|Drive|Dr|Lane|Ln|Court|Ct|Place|Pl|Circle|Cir|Way|Terrace|Ter|Parkway|Pkwy|Highway|Trail|Square|Sq|St"
)
_CAPITAL_KIND = "ROAD|RD|DRIVE|DR|LANE|LN|COURT|PLACE|CIRCLE|TERRACE|PARKWAY|PKWY|HIGHWAY|ST"
STREET = (
    rf"{_NUMBER}{_HEADING}(?:{_ANY_WORDS}(?:{_ANY_KIND})|{_TITLE_WORDS}(?:{_TITLE_KIND})"
    rf"|{_CAPITAL_WORDS}(?:{_CAPITAL_KIND})){_END}"
)
STREET_KINDS = frozenset(
    word.encode()
    for words in (_ANY_KIND, _TITLE_KIND, _CAPITAL_KIND, "street|Street|avenue|Avenue|boulevard|Boulevard")
    for word in words.split("|")
)
"""What a street's name ends with, as bytes."""
STREET_WORDS = 5
"""How many words a house number stands at most before the kind of street."""
PO_BOX = r"\bP\.? ?O\.? ?Box\s{1,3}#?[0-9]+"

MEMBER_WORDS = (
    *("member", "mbr", "subscriber", "insured", "enrollee", "beneficiary", "patient", "policy"),
    *("certificate", "medicaid", "medicare", "hic", "account", "acct", "mrn", "med rec", "medical rec"),
)
MEMBER_BARE_WORDS = ("member", "mbr", "subscriber", "account", "acct", "mrn", "med rec", "medical rec")
_TOKEN = r"(?P<token>[A-Z0-9](?:-?[A-Z0-9]){4,24})(?![\w-])"
_GAP = r"(?:[ \t:#=]|\n(?!\s*\n)){0,4}"
MEMBER_KEYED = (
    r"(?!acc)[A-Za-z]{3,11}(?:'s)?[ \t-]{0,2}"
    r"(?:(?:identifier|id|account|acct|number)(?![a-z])|(?:nbr|num|no)(?![a-z])\.?|#)"
    rf"(?: ?(?:number|no\.?|nbr|#))?{_GAP}(?:(?:is|was)[ \n])?{_TOKEN}"
)
"""After a word that a key follows, at one of MEMBER_WORDS."""
MEMBER_BARE = (
    r"[A-Za-z]{3,11}(?: [Rr]ec(?:ord)?)?(?:(?<=cct|CCT)\.)?"
    rf"(?: (?:number|(?:no|nbr|num|No|NO)\b\.?))?(?=[\s:#=]){_GAP}{_TOKEN}"
)
"""Straight after the word itself, in capitals, at one of MEMBER_BARE_WORDS."""
MEMBER_REACH = 96
"""No match of the two is longer."""

ICD_WORDS = ("dx", "diag", "icd")
ICD_WORD = r"(?<![a-z])(?:dx|diag|diagnos[ei]s|diagnoses|icd)(?![a-z])"
ICD_DOTTED = r"(?<![\w.])[A-Z][0-9][0-9A-Z]\.[0-9A-Z]{1,4}(?![\w.][0-9A-Za-z]|\w)"
ICD_BESIDE = (
    r"(?<![a-z])(?:dx|diag(?:nos[ei]s)?|diagnoses|icd(?:-?(?:9|10))?(?:-?cm)?)(?:[ -]?(?:codes?|cd))?"
    r"[\s:#=(]{1,3}(?:is |was |of )?(?P<code>[A-Z][0-9][0-9A-Z](?:\.?[0-9A-Z]{1,4})?)(?![\w-])"
)

X12 = (
    r"(?<![A-Z0-9])(?:NM1(?P<s>[^A-Za-z0-9\s])(?:IL|QC)(?P=s)"
    r"|DMG(?P<t>[^A-Za-z0-9\s])[A-Z0-9]{0,3}(?P=t))[^~\n]{0,120}"
)

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
ISO_DATE = r"(?<![\w-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![\w-])"
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_OLD_YEAR = "(?:19[0-9]|20[01])[0-9]"
OLD_YEAR = rf"{_OLD_YEAR}(?![0-9A-Za-z])"
OLD_DECADES = (*(f"19{decade}" for decade in range(10)), "200", "201")
OLD_DATE = (
    rf"(?<![\w/.-])(?:{_OLD_YEAR}[-/.][01]?[0-9][-/.][0-3]?[0-9]"
    rf"|[0-3]?[0-9][-/.][0-3]?[0-9][-/.]{_OLD_YEAR})(?![\w/-])"
)
"""A date of 1900 to 2019; whether it is a grown person's birth depends on the day it is read against."""
OLD_DATE_IN_WORDS = (
    rf"(?<!\w)(?:{_MONTH} [0-9]{{1,2}},? |[0-9]{{1,2}} {_MONTH},? |[0-9]{{1,2}}-{_MONTH}-)"
    r"(?P<year>(?:19|20)[0-9]{2})(?![\w-])"
)
_FULL_DAY = (
    r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{4}|[0-9]{2})|[0-9]{8}"
    rf"|{_MONTH} [0-9]{{1,2}},? [0-9]{{4}}|[0-9]{{1,2}} {_MONTH},? [0-9]{{4}}"
)
BIRTH_WORDS = ("dob", "d.o.b", "born", "birth")
_BORN = r"(?<![a-z])(?:dob|d\.o\.b\.?|born|birth(?: ?date|day)?)(?![a-z])"
BIRTH_BESIDE = (
    rf"{_BORN}[\s:=#(-]{{0,3}}(?:(?:is|was|on|of|in)[ \n])?"
    rf"(?P<day>{_FULL_DAY}|[0-9]{{1,2}}/[0-9]{{1,2}})(?![\w/])"
)
BIRTH_AFTER = rf"(?<![\w/-])(?P<day>{_FULL_DAY})[ ,(]{{1,3}}(?:is |as |= ?|= )?{_BORN}"
BIRTH_NEAR = rf"{_BORN}[^\n0-9]{{4,40}}(?<![\w/-])(?P<day>{_FULL_DAY})(?![\w/-])"
