"""The sweep for what a pend record must not carry: what it finds, and what it leaves alone."""

import string
import time
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pendtui.evals.labels import CLASSES, sweep
from pendtui.evals.labels.identifiers import is_npi

RECEIVED = date(2026, 8, 20)


def kinds(text: str, received_on: date | None = RECEIVED) -> list[str]:
    return [finding.kind for finding in sweep(text, received_on)]


FOUND = [
    ("name", "Spoke with Mrs. Quillfeather about it."),
    ("name", "Ms Oakes asked for status"),
    ("name", "Mr. O'Dell is the contact"),
    ("name", "note from Dr. Brandt says units are right"),
    ("name", "note from Dr BRANDT"),
    ("name", "MRS. QUILLFEATHER CALLED"),
    ("name", "patient Jane Quillfeather was seen"),
    ("name", "Member: Jane T. Quillfeather"),
    ("name", "subscriber Quillfeather, Jane"),
    ("name", "INSURED is Jane Quillfeather"),
    ("name", "Member's name is Jane Quillfeather"),
    ("name", "Name: Quillfeather, Jane"),
    ("name", "patient name: Jane Quillfeather"),
    ("name", "NAME: QUILLFEATHER"),
    ("name", "patient\nJane\nQuillfeather was seen"),
    ("name", "note from Dr.\nBrandt"),
    ("birth_date", "DOB 03/04/1950 does not match"),
    ("birth_date", "DOB: 3/4/50"),
    ("birth_date", "D.O.B. 1950-03-04"),
    ("birth_date", "date of birth 19500304 keyed"),
    ("birth_date", "born March 4, 1950"),
    ("birth_date", "born 4 Mar 1950, per the card"),
    ("birth_date", "DOB 3/4 only, year left out"),
    ("birth_date", "birth date on the card reads 3/4/1950"),
    ("birth_date", "1950-03-04 (DOB) from the card"),
    ("birth_date", "DOB 2026-08-11 for the newborn"),
    ("birth_date", "card says 03/04/1950"),
    ("birth_date", "card says 1950-03-04"),
    ("birth_date", "card says March 4, 1950"),
    ("birth_date", "card says 4-Mar-1950"),
    ("birth_date", "card says 8/19/2008"),  # eighteen years and a day before receipt
    ("member_id", "member id A44190233"),
    ("member_id", "Member ID: W0042-77-19"),
    ("member_id", "member # 900412377"),
    ("member_id", "MEMBER 900412377 TERMED"),
    ("member_id", "subscriber no. XQ5519042"),
    ("member_id", "subscriber XQ5519042 on the card"),
    ("member_id", "acct. no. 55190422"),
    ("member_id", "the card's member id is\nA44190233"),
    ("member_id", "MRN 0044192"),
    ("member_id", "MRN: 44-19-20-1"),
    ("member_id", "medical record number 0044192"),
    ("member_id", "account 55190422"),
    ("member_id", "acct# 55190422"),
    ("member_id", "patient account number 55190422"),
    ("member_id", "Medicaid ID 55190422AB"),
    ("member_id", "policy number ZX-55190"),
    ("member_id", "mbr id is 55190422"),
    ("ssn", "219-09-9999"),
    ("ssn", "the fax shows 219 09 9999 on top"),
    ("ssn", "SSN 219099999"),
    ("ssn", "social security number: 219099999"),
    ("ssn", "219\u201309\u20139999 with typeset dashes"),
    ("mbi", "1EG4-TE5-MK73"),
    ("mbi", "1EG4TE5MK73"),
    ("mbi", "1eg4te5mk73 in small letters"),
    ("mbi", "1EG4 TE5 MK73"),
    ("phone", "call (217) 555-0142"),
    ("phone", "(217)555-0142"),
    ("phone", "217-555-0142"),
    ("phone", "217.555.0142."),
    ("phone", "217/555-0142"),
    ("phone", "+1 217 555 0142"),
    ("phone", "1-217-555-0142"),
    ("phone", "2175550142"),
    ("phone", "phone 555-0142, ask for billing"),
    ("phone", "fax no. 555-0142"),
    ("phone", "call back at 217 555 0142"),
    ("phone", "phone 2124567828"),  # passes the check of an NPI, and is called a phone
    ("street_address", "sent to 12 Oakmarsh Street"),
    ("street_address", "1402 W. Elm Ave, second floor"),
    ("street_address", "77 Old Mill Rd."),
    ("street_address", "at 5 Lantern Ln"),
    ("street_address", "210 North Kestrel Dr, suite 4"),
    ("street_address", "330 5th Avenue"),
    ("street_address", "12 OAKMARSH ST"),
    ("street_address", "118 HARBOR VIEW DRIVE"),
    ("street_address", "9 oak street"),
    ("street_address", "18 Fenn Ct"),
    ("street_address", "P.O. Box 4410"),
    ("street_address", "PO BOX 17"),
    ("zip_plus_4", "Springdale 62704-1123"),
    ("email", "write to j.quill+claims@mail.example"),
    ("email", "<billing@group-practice.example>"),
    ("diagnosis_code", "dx E11.65 on the claim"),
    ("diagnosis_code", "diagnosis code M54.5 does not support it"),
    ("diagnosis_code", "ICD-10: I10"),
    ("diagnosis_code", "ICD-10-CM code S72.001A"),
    ("diagnosis_code", "dx: E1165"),
    ("diagnosis_code", "Z99.2 was the diagnosis"),
    ("x12_segment", "NM1*IL*1*QUILL*J****MI*X~"),
    ("x12_segment", "NM1|QC|1|QUILL|J"),
    ("x12_segment", "DMG*D8*X*F~"),
]


@pytest.mark.parametrize(("kind", "text"), FOUND)
def test_the_sweep_finds(kind: str, text: str) -> None:
    assert kind in CLASSES
    assert kinds(text) == [kind]
    assert kinds(f"Opened it.\n{text}\nLeft it.") == [kind]


LEFT_ALONE = [
    "CLM-2026-400037",
    "the same bill as CLM-2026-397105, still open",
    "account CLM-2026-397105 and member CLM-2026-397105",
    "NPI 1234567893",
    "billing NPI 1245319599 not on the provider file",
    "account 1234567893",
    "rendering NPI ending 1177",
    "  2026-08-20  claim received and logged",
    "  2026-08-21  DOB mismatch looked at, none",
    "  2026-08-21  born of a batch error",
    "newborn claim, 8/10",
    "DOB verified on 2026-08-22 by the desk",
    "birth date agrees, seen 8/21",
    "effective 1/1/2026 through 12/31/2026",
    "coverage since 2019-01-01",
    "paid under the 2010 schedule",
    "EDIT 2010 - MEMBER TERMED 7/31.",
    "EDIT 1314 - AUTHORIZED UNITS EXCEEDED: 2 APPROVED, 4 BILLED ON LINE 04.",
    "1368 PA REQUIRED / NO PA ON CLAIM OR FILE, LN 04, DOS 5/31.",
    "2 UNITS LN 04 and 3 UNITS ST",
    "15 PT ST OT visits billed",
    "EDIT 302 DENIED IN PLACE",
    "moved to location 30 and back in the same way",
    "1 chest CT and 2 head CT billed",
    "3 of them pend on the same road map",
    "CPT 99214 and HCPCS J1745, A0425, E0601",
    "70553 72148 74177 73721",
    "revenue codes 0120 0206 0360",
    "REV 0250 0300 0450",
    "rev codes 250 300 4500",
    "codes 250 300 4500",
    "billed $1,402.55, allowed $980.00, paid 0",
    "edit numbers 4410 9025 1378",
    "taxonomy 207Q00000X",
    "CARC 197  RARC M62",
    "RARC M76: missing diagnosis",
    "diagnosis pointer missing for J1100",
    "dx pointer A on line 02",
    "diagnosis does not support 97110",
    "ICD-10 code missing",
    "STATUS P1:252",
    "modifier 25 and 59, POS 22",
    "Member Services was told",
    "Member not eligible on the date",
    "Patient Control Number is blank",
    "Subscriber Name Missing",
    "Insured Id Not on file",
    "member eligibility file read twice",
    "patient responsibility 20%",
    "MEMBER NOT FOUND, CLAIM PENDED",
    "queue name: Overflow",
    "plan name: Fennimere Health",
    "file name: CLAIMS",
    "Name: missing",
    "MR requested, MS on the card",
    "MR REVIEW pending",
    "Dr. Office called back",
    "member 30 days on the list",
    "account of 3 lines",
    "subscriber since 2026-08-01",
    "member id on file, no change",
    "policy PR-2026",
    "batch 20260820-114 closed",
    "ICN 20260820123456",
    "NDC 00409-1159-01",
    "NDC 50242-0040-62",
    "RUN 000-00-0000",
    "number 666-12-3456 and 912-34-5678 are no SSN",
    "0EG4TE5MK73 begins with a nought",
    "1SG4TE5MK73 has a letter that is never used",
    "123-456-7890 has no area code",
    "217-155-0142 has no exchange",
    "call center screen refreshed",
    "portal at the payer @ the desk",
    "another year's account. 45385 needs approval",
    "closed under another account\n\n45385 needs approval",
    "the subscriber number. 45385 needs approval",
    "SYSTEMS. Brandt Health has the list at Driftmoor Community Health",
    "A01:B02",
    "",
]


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_the_sweep_leaves_alone(text: str) -> None:
    assert kinds(text) == []
    assert kinds(f"Opened it.\n{text}\nLeft it.") == []


def test_a_child_is_no_grown_person_by_the_date_alone() -> None:
    assert kinds("card says 8/20/2008") == []
    assert kinds("card says 8/19/2008") == ["birth_date"]


def test_the_newest_date_of_the_text_stands_in_for_an_unknown_receipt_date() -> None:
    assert kinds("  2026-08-20  card says 1950-03-04", None) == ["birth_date"]
    assert kinds("card says 1950-03-04", None) == []


def test_a_finding_says_class_line_and_offsets_and_not_the_value() -> None:
    text = "Opened it.\nSSN 219-09-9999 and\nMBI 1EG4TE5MK73"
    first, second = sweep(text, RECEIVED)
    assert (first.kind, first.line) == ("ssn", 2)
    assert text[first.start : first.stop] == "219-09-9999"
    assert (second.kind, second.line) == ("mbi", 3)
    assert text[second.start : second.stop] == "1EG4TE5MK73"
    assert "219" not in repr(first)


def test_offsets_are_those_of_the_text_that_was_given() -> None:
    text = "\u0130\u0130 \U0001f600 \u201cnoted\u201d \u2014 SSN 219\u201109\u20119999."
    (finding,) = sweep(text, RECEIVED)
    assert text[finding.start : finding.stop] == "219\u201109\u20119999"


def test_several_findings_come_in_the_order_of_the_text() -> None:
    text = "Mrs. Oakes, DOB 3/4/1950, member id A44190233, (217) 555-0142, 12 Oak Street, 62704-1123"
    assert kinds(text) == ["name", "birth_date", "member_id", "phone", "street_address", "zip_plus_4"]


@pytest.mark.parametrize("digits", ["1234567893", "1245319599", "1003000126"])
def test_an_npi_passes_its_check(digits: str) -> None:
    assert is_npi(digits)
    assert not any(is_npi(digits[:-1] + last) for last in string.digits if last != digits[-1])


def test_ten_digits_of_a_telephone_are_none_of_an_npi() -> None:
    assert not is_npi("3234567893") and not is_npi("123456789") and not is_npi("")


@given(st.text(max_size=400), st.none() | st.dates())
def test_the_sweep_never_raises_and_its_spans_lie_in_the_text(text: str, received_on: date | None) -> None:
    findings = sweep(text, received_on)
    for finding in findings:
        assert finding.kind in CLASSES
        assert 0 <= finding.start < finding.stop <= len(text)
        assert finding.line == text[: finding.start].count("\n") + 1
    assert list(findings) == sorted(findings, key=lambda finding: finding.start)


PIECES = st.sampled_from(
    [
        *"0123456789 -./()@#:\n",
        "DOB ",
        "member id ",
        "dx ",
        "Mr. ",
        "name: ",
        "19",
        "20",
        "born",
        "NM1*IL*",
        "St",
        "A1",
    ]
)


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=60).map("".join), st.none() | st.dates())
def test_the_sweep_never_raises_on_texts_made_of_its_own_triggers(text: str, received_on: date | None) -> None:
    for finding in sweep(text, received_on):
        assert 0 <= finding.start < finding.stop <= len(text)


LETTERS = "ACDEFGHJKMNPQRTUVWXY"
letter, digit = st.sampled_from(LETTERS), st.sampled_from(string.digits)
either = letter | digit


@st.composite
def mbis(draw: st.DrawFn) -> str:
    """A Medicare beneficiary identifier, in one of the ways they are written."""
    first = draw(st.sampled_from("123456789")) + draw(letter) + draw(either) + draw(digit)
    second = draw(letter) + draw(either) + draw(digit)
    third = draw(letter) + draw(letter) + draw(digit) + draw(digit)
    written = draw(st.sampled_from(["", "-"])).join((first, second, third))
    return written.lower() if draw(st.booleans()) else written


@st.composite
def ssns(draw: st.DrawFn) -> str:
    """A social security number that can have been issued."""
    area = draw(st.integers(1, 899).filter(lambda number: number != 666))
    sign = draw(st.sampled_from("- "))
    return f"{area:03d}{sign}{draw(st.integers(1, 99)):02d}{sign}{draw(st.integers(1, 9999)):04d}"


@pytest.mark.parametrize(("kind", "values"), [("mbi", mbis()), ("ssn", ssns())])
def test_an_identifier_between_two_spaces_is_found_in_any_text(kind: str, values: st.SearchStrategy[str]) -> None:
    @given(st.text(max_size=80), values, st.text(max_size=80))
    def found(before: str, value: str, after: str) -> None:
        text = f"{before} {value} {after}"
        start = len(before) + 1
        assert any(
            finding.kind == kind and finding.start <= start < finding.stop for finding in sweep(text, RECEIVED)
        )

    found()


PIECES_OF_A_LONG_RECORD = (
    *("a", "1", "-", ".", "@", "a@", "1 ", "A ", "1-", "1/1/1950 ", "19", "DOB ", "member id ", "dx ", "Dr. "),
    *("name: ", "1 Oak ", "12 Oak Hill View ", "NM1*IL*", "217-555-", "1EG4", "patient Ann ", "born of a "),
    *("x" * 64 + "@", "\n"),
)


@pytest.mark.parametrize("piece", PIECES_OF_A_LONG_RECORD)
def test_the_longest_record_is_swept_in_the_time_its_length_asks_for(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        started = time.perf_counter()
        sweep(text, None)
        return time.perf_counter() - started

    seconds(1_000)
    # a search that looks back over the whole text at every step would need minutes
    assert seconds(200_000) < 4
