"""The generated part of a paper's page in the documentation: the register, and every claim with its value.

    uv run python -m discreet.papers.page docs/papers

rewrites what stands between the two marks of every page. The text before the first mark is written by hand.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from discreet.errors import InputError
from discreet.papers.claim import Claim
from discreet.papers.register import NAMES, Paper, load, tally

START, END = "<!-- generated: the register -->", "<!-- end of the register -->"


def generated(paper: Paper, claims: Sequence[Claim]) -> str:
    """Return the register and the claims of a paper as Markdown."""
    printed, formula, ours = (tally(claims, kind) for kind in ("printed", "formula", "ours"))
    lines = [
        "## The register",
        "",
        f"{printed.agree} of {printed.total} printed values and statements reproduce. {formula.agree} of"
        f" {formula.total} values that follow from the paper's formulas agree with an independent computation."
        f" {ours.total} values are ours, for comparison.",
        "",
        "| item | where | what it says | verdict | in Discreet | shown by |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for item in paper.items:
        count = sum(claim.item == item.name for claim in claims)
        shown = item.shown_by or f"{count} claim{'s' if count > 1 else ''} below"
        api = f"`{item.api}`" if item.api else ""
        cells = [item.name, item.section, item.says, item.verdict, api, shown]
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    lines += [
        "",
        "## The claims",
        "",
        "| item | claim | kind | paper | ours | agrees |",
        "| --- | --- | --- | ---: | ---: | --- |",
    ]
    for claim in claims:
        cells = [
            claim.item,
            claim.what,
            claim.kind,
            value_text(claim.paper),
            value_text(claim.ours),
            "yes" if claim.agrees else "**no**",
        ]
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    notes = [f"- {claim.item}, {claim.what}: {claim.note}" for claim in claims if claim.note]
    lines += ["", "## Notes on the claims", "", *notes] if notes else []
    return "\n".join(lines) + "\n"


def page(text: str, content: str) -> str:
    """Return the text of a page with new content between the marks.

    Raises
    ------
    InputError
        A mark is missing.
    """
    if START not in text or END not in text:
        raise InputError(f"the page has no marks; write {START} and {END} on lines of their own, and run this again")
    before, rest = text.split(START, 1)
    return f"{before}{START}\n\n{content}\n{END}{rest.split(END, 1)[1]}"


def value_text(value: str | float | None) -> str:
    """Return a value for readers: numbers with six significant digits, texts as they are."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.6g}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main(folder: Path, names: Sequence[str] = NAMES) -> None:
    """Rewrite the pages of a folder."""
    for name in names:
        paper, path = load(name), folder / f"{name}.md"
        claims = [claim for compute in paper.claims for claim in compute()]
        path.write_text(page(path.read_text(encoding="utf-8"), generated(paper, claims)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or NAMES)
