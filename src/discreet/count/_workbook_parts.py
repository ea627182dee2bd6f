"""The parts of a workbook (.xlsx): its sheets, which styles show dates, and the texts that cells share.

A workbook is a zip archive. `_rels/.rels` names the part of the workbook, which names the sheets. Relationships name
the part of each sheet, of the styles and of the shared texts. Shared texts are kept in a private file, so the memory
needed is 8 bytes for each of them.
"""

import lzma
import mmap
import posixpath
import zipfile
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from discreet.count._number_formats import is_date_format
from discreet.count._workbook_xml import CollectedText, DamagedPartError, End, Read, Start, decoded, local_names, parse
from discreet.errors import InputError
from discreet.plan.canonical_text import WHITE_SPACE

_WORKBOOK = "xl/workbook.xml"
_MOST_STYLES = 2**20
_NAMES = local_names("Relationship", "sheet", "workbookPr", "numFmt", "xf", "cellXfs", "si", "t", "rPh")
_TOO_LONG = b"\xff"
"""Stands for a shared text that is too long. No text in UTF-8 has this byte."""


class SharedTexts:
    """The texts that cells share, by their index, in a private file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._ends = array("Q", [0])
        self._map: mmap.mmap | None = None

    def append(self, text: str | None) -> None:
        """Add the next text; None if it is too long."""
        raw = _TOO_LONG if text is None else decoded(text).strip(WHITE_SPACE).encode()
        self._file.write(raw)
        self._ends.append(self._ends[-1] + len(raw))

    def get(self, index: str) -> str | None:
        """Return a text, blank if it is blank. Return None if there is no such text, or if it is too long."""
        if not (index.isdigit() and index.isascii() and len(index) < 12) or int(index) + 1 >= len(self._ends):
            return None
        start, end = self._ends[int(index)], self._ends[int(index) + 1]
        if start == end:
            return ""
        if self._map is None:
            self._file.flush()
            self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        raw = self._map[start:end]
        return None if raw == _TOO_LONG else raw.decode()

    def close(self) -> None:
        """Close the file."""
        if self._map is not None:
            self._map.close()
        self._file.close()


@dataclass(frozen=True)
class Sheet:
    """A sheet of rows: its name and its part."""

    name: str
    part: str


class WorkbookParts:
    """A workbook.

    Parameters
    ----------
    path
        The file.

    Attributes
    ----------
    sheets
        The sheets of rows, in order.
    from_1904
        True if dates are counted from 1904.

    Raises
    ------
    DamagedPartError
        The archive or a part cannot be read.
    InputError
        The archive is another kind of file.
    """

    def __init__(self, path: Path) -> None:
        with _damage():
            self._archive = zipfile.ZipFile(path)
        self._parts = {_plain(name): name for name in self._archive.namelist()}
        start = self._relationships("")
        workbook = next((part for kind, part in start.values() if kind == "officeDocument"), _WORKBOOK)
        if _plain(workbook) not in self._parts or workbook.endswith(".bin"):
            kind = "a binary workbook (.xlsb)" if workbook.endswith(".bin") else "no Excel workbook"
            kind = "an OpenDocument file (.ods)" if "content.xml" in self._parts else kind
            raise InputError(f"{path} is {kind}; save it as .xlsx, or save the sheet as CSV UTF-8")
        related = self._relationships(workbook)
        by_kind = dict(related.values())
        self._styles, self._texts = by_kind.get("styles"), by_kind.get("sharedStrings")
        self.from_1904 = False
        self.sheets: list[Sheet] = []

        def start_element(name: str, attributes: dict[str, str]) -> None:
            local = _NAMES.get(name)
            if local == "workbookPr":
                self.from_1904 = attributes.get("date1904", "").lower() in ("1", "true", "on")
            elif local == "sheet":
                reference = next((value for key, value in attributes.items() if key.endswith("relationships id")), "")
                kind, part = related.get(reference, ("", ""))
                if kind == "worksheet":
                    self.sheets.append(Sheet(decoded(attributes.get("name", "")), part))

        self._parse(workbook, start_element)

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    @contextmanager
    def open_part(self, part: str) -> Iterator[Read]:
        """Open a part, and return a function that reads bytes.

        Raises
        ------
        DamagedPartError
            There is no such part, or the archive is damaged. Reading raises it, too.
        """
        with _damage():
            if _plain(part) not in self._parts:
                raise DamagedPartError(f"there is no part {part}")
            file = self._archive.open(self._parts[_plain(part)])

        def read(size: int) -> bytes:
            with _damage():
                return file.read(size)

        with file:
            yield read

    def date_styles(self) -> set[str]:
        """Return the numbers of the styles that show dates, as cells give them."""
        codes: dict[str, str] = {}
        formats: list[str] = []
        inside = False

        def start_element(name: str, attributes: dict[str, str]) -> None:
            nonlocal inside
            local = _NAMES.get(name)
            if local == "numFmt":
                codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
            elif local == "cellXfs":
                inside = True
            elif local == "xf" and inside:
                formats.append(attributes.get("numFmtId", "0"))
            if len(formats) + len(codes) > _MOST_STYLES:
                raise DamagedPartError("too many styles")

        def end_element(name: str) -> None:
            nonlocal inside
            inside = inside and _NAMES.get(name) != "cellXfs"

        if self._styles is not None and _plain(self._styles) in self._parts:
            self._parse(self._styles, start_element, end_element)
        return {
            str(index)
            for index, number in enumerate(formats)
            if is_date_format(int(number) if number.isdecimal() and len(number) < 9 else 0, codes.get(number))
        }

    def read_shared_texts(self, texts: SharedTexts) -> None:
        """Read the texts that cells share. Pronunciations are left out."""
        text = CollectedText()

        def start_element(name: str, _: dict[str, str]) -> None:
            local = _NAMES.get(name)
            if local is not None:
                text.start(local)

        def end_element(name: str) -> None:
            local = _NAMES.get(name)
            if local == "si":
                texts.append(text.take(runs=True))
            elif local is not None:
                text.end(local)

        if self._texts is not None and _plain(self._texts) in self._parts:
            with self.open_part(self._texts) as read:
                for _ in parse(read, start=start_element, end=end_element, text=text.pieces.append):
                    text.limit()

    def _parse(self, part: str, start: Start, end: End | None = None) -> None:
        with self.open_part(part) as read:
            for _ in parse(read, start=start, end=end):
                pass

    def _relationships(self, part: str) -> dict[str, tuple[str, str]]:
        """Return what a part is related to, by id: the last word of the kind of relationship, and the part."""
        folder, name = posixpath.split(part)
        relations = posixpath.join(folder, "_rels", f"{name}.rels")
        targets: dict[str, tuple[str, str]] = {}

        def start_element(name: str, attributes: dict[str, str]) -> None:
            if _NAMES.get(name) == "Relationship" and attributes.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", "")))
                targets[attributes.get("Id", "")] = attributes.get("Type", "").rpartition("/")[2], target.lstrip("/")

        if _plain(relations) in self._parts:
            self._parse(relations, start_element)
        return targets


@contextmanager
def _damage() -> Iterator[None]:
    """Raise DamagedPartError for what reading a damaged, encrypted or unusual archive raises."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError) as error:
        raise DamagedPartError(str(error)) from None


def _plain(part: str) -> str:
    """Return the name of a part as it is compared: Excel does not tell apart upper and lower case."""
    return part.replace("\\", "/").lstrip("/").casefold()
