"""Write pendtui/engines/readers/data/lexicon.json from the two TOML files beside it.

Usage: python tools/compile_lexicon.py
"""

import tomllib

from pendtui.engines.readers.floor.lexicon import DATA, build_lexicon, compile_codes, compile_terms, to_json


def compiled() -> str:
    """The text that lexicon.json has to have."""
    terms = compile_terms(tomllib.loads((DATA / "lexicon.toml").read_text(encoding="utf-8")))
    codes = compile_codes(tomllib.loads((DATA / "codes.toml").read_text(encoding="utf-8")))
    return to_json(build_lexicon(terms, codes))


if __name__ == "__main__":
    (DATA / "lexicon.json").write_text(compiled(), encoding="utf-8")
