"""Foreign text made harmless for a terminal: every character shown, none obeyed."""


def plain(text: str) -> str:
    """Text with each control, format and direction-changing character replaced by one visible sign.

    The length never changes, so offsets into the original still hold. Line feeds are left alone only by
    `plain_lines`.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _sign(char) for char in text)


def plain_lines(text: str) -> str:
    """As `plain`, with line feeds kept, a carriage return before one blanked, and tabs as single spaces."""
    if text.replace("\n", "").isprintable():
        return text
    text = text.replace("\r\n", " \n").replace("\t", " ")
    return "".join(char if char == "\n" or char.isprintable() else _sign(char) for char in text)


def _sign(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"
