"""Parts of a workbook as streams of XML, in bounded memory, so that no value in a cell can end the reading.

XML forbids some characters, and a parser stops at the first one. Workbooks have an escape for such characters:
`_x0001_` is U+0001. So before a part is parsed, every forbidden character, every reference to one (`&#1;`) and every
byte that is not UTF-8 is replaced by its escape, and `decoded` reads the escapes. A part is refused as a whole if its
elements are not closed, if it declares a document type (and so could define entities that grow), if it is in UTF-16, or
if a tag is longer than any tag of a workbook.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from xml.parsers import expat

from discreet.plan.canonical_text import LONGEST_TEXT

_CHUNK = 2**18
"""Bytes that are decompressed and parsed at a time."""
_LONGEST_TAG = 2**20
"""Bytes of a tag, a comment or another piece of XML that the parser has to hold."""
_LONGEST_REFERENCE = 64
_CONTROLS = bytes({*range(32)} - {*b"\t\n\r"})
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\udc80-\udcff]|&#(x?)([0-9A-Fa-f]+);")
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_MARKED = re.compile("[\ud800-\udfff]|\ufffd<")
_NAMESPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
    "http://schemas.openxmlformats.org/package/2006/relationships",
)


Read = Callable[[int], bytes]
"""Returns the next bytes of a part, so many at most; none at the end."""

Start = Callable[[str, dict[str, str]], None]
"""Takes the name of an element, which is its namespace, a space and its local name, and its attributes."""

End = Callable[[str], None]
"""Takes the name of an element that ends, or a piece of text."""


class DamagedPartError(Exception):
    """A part of a workbook cannot be read."""


def local_names(*names: str) -> dict[str, str]:
    """Return the names of elements by the names that the parser gives them, in every namespace of workbooks."""
    return {f"{namespace} {name}": name for namespace in _NAMESPACES for name in names}


def parse(read: Read, *, start: Start, end: End | None = None, text: End | None = None) -> Iterator[None]:
    """Parse a part, and yield after every piece, so that the caller can take what the handlers have collected.

    Parameters
    ----------
    read
        Reads the part.
    start, end, text
        Called for elements and their text.

    Raises
    ------
    DamagedPartError
        The part is not well-formed, or is of a form that no workbook has.
    """
    parser = expat.ParserCreate("utf-8", " ")
    parser.buffer_text = True
    parser.buffer_size = 2**16
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _refuse_document_type
    fed = 0
    try:
        for piece in _pieces(read):
            parser.Parse(piece, False)
            fed += len(piece)
            if fed - parser.CurrentByteIndex > _LONGEST_TAG:
                raise DamagedPartError("a tag is too long")
            yield
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise DamagedPartError(str(error)) from None
    yield


def _refuse_document_type(*_: object) -> None:
    raise DamagedPartError("the part declares a document type")


def _pieces(read: Read) -> Iterator[bytes]:
    """Yield the part as UTF-8 without forbidden characters."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")
    waiting, first = "", True
    while True:
        chunk = read(_CHUNK)
        if first and chunk[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise DamagedPartError("the part is in UTF-16")
        first = False
        piece = waiting + decoder.decode(chunk, final=not chunk)
        waiting = ""
        reference = piece.rfind("&", -_LONGEST_REFERENCE)
        if chunk and reference >= 0 and ";" not in piece[reference:]:
            piece, waiting = piece[:reference], piece[reference:]
        raw = piece.encode(errors="surrogateescape")
        if b"\xef\xbf" in raw or b"&#" in raw or len(raw.translate(None, _CONTROLS)) < len(raw) or not _is_utf8(piece):
            raw = _FORBIDDEN.sub(_escaped, piece).encode()
        if raw:
            yield raw
        if not chunk:
            return


def _is_utf8(piece: str) -> bool:
    try:
        piece.encode()
    except UnicodeEncodeError:
        return False
    return True


def _escaped(match: re.Match[str]) -> str:
    """Return the escape of a forbidden character, or a reference to a character that XML allows as it is."""
    digits = match[2]
    if digits is None:
        return f"_x{ord(match[0]):04X}_"
    try:
        code = int(digits, 16 if match[1] else 10)
    except ValueError:  # a decimal number with letters, which the parser refuses
        return match[0]
    if code in (9, 10, 13) or 32 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code <= 0x10FFFF:
        return match[0]
    return f"_x{code if code <= 0xFFFF else 0xFFFD:04X}_"


class CollectedText:
    """The text of a cell, of which no more than 16 MB are kept.

    The text of a value (`v`) is its characters. The text of a string (`si`, `is`) is the characters of its runs (`t`),
    but for runs of a pronunciation (`rPh`).

    Attributes
    ----------
    pieces
        Takes the characters, as they come.
    """

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._kept: list[str] = []
        self._length = 0
        self._pronunciation = self._too_long = False

    def start(self, name: str) -> None:
        """Start an element."""
        self.pieces.clear()
        if name == "v":
            self._too_long = False
        elif name == "rPh":
            self._pronunciation = True
        elif name != "t":
            self._kept.clear()
            self._length = 0
            self._pronunciation = self._too_long = False

    def end(self, name: str) -> None:
        """End a run or a pronunciation."""
        if name == "rPh":
            self._pronunciation = False
        elif name == "t" and not self._pronunciation:
            self._kept += self.pieces
            self._length += sum(map(len, self.pieces))
        self.pieces.clear()
        self.limit()

    def limit(self) -> None:
        """Forget a text that is too long, before it is complete. Call this after every piece of the part."""
        if self._length + sum(map(len, self.pieces)) > LONGEST_TEXT:
            self._too_long = True
            self.pieces.clear()
            self._kept.clear()

    def take(self, *, runs: bool) -> str | None:
        """Return the text at the end of a string of runs or of a value; None if it has more than 16 MB."""
        parts = self._kept if runs else self.pieces
        text = parts[0] if len(parts) == 1 else "".join(parts)
        if self._too_long or (len(text) > LONGEST_TEXT // 4 and len(text.encode()) > LONGEST_TEXT):
            return None
        return text


def decoded(text: str) -> str:
    """Return the text of a cell with its escapes read. It can be written as UTF-8.

    Half a character of UTF-16, which no text can hold, becomes U+FFFD and its number, and a byte that was not UTF-8
    becomes U+FFFD and the byte, as in CSV files: different values stay different.

    Examples
    --------
    >>> decoded("a_x000A_b"), decoded("_x005F_x000A_"), decoded("_xD83D__xDE00_")
    ('a\\nb', '_x000A_', '😀')
    >>> decoded("Z_xDCFC_rich"), decoded("_xD83D_")
    ('Z\ufffd<fc>rich', '\ufffd<d83d>')
    """
    if "_x" in text:
        text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
        if not text.isascii():  # two halves of a character become the character
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    if text.isascii():
        return text
    return _MARKED.sub(_mark, text)


def _mark(match: re.Match[str]) -> str:
    if match[0] == "\ufffd<":
        return "\ufffd<<"
    code = ord(match[0])
    return f"\ufffd<{code - 0xDC00:02x}>" if 0xDC80 <= code <= 0xDCFF else f"\ufffd<{code:04x}>"
