"""The generated part of a paper's page in the documentation: the register, and every claim with its value.

    uv run python -m discreet.papers.page docs/papers

rewrites what stands between the two marks of every page. The text before the first mark is written by hand.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from discreet.errors import InputError
from discreet.papers.claim import KINDS, Claim
from discreet.papers.register import NAMES, Item, Paper, load, tally
from discreet.papers.wording import RULE

START, END = "<!-- generated: the register -->", "<!-- end of the register -->"


def generated(paper: Paper, claims: Sequence[Claim]) -> str:
    """Return the register and the claims of a paper as Markdown."""
    lines = [
        "## The register",
        "",
        summary(claims),
        "",
        "| item | where | what it says | verdict | in Discreet | shown by |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for item in paper.items:
        api = f"`{item.api}`" if item.api else ""
        cells = [item.name, item.section, item.says, item.verdict, api, shown_by(item, claims)]
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    lines += [
        "",
        "## The claims",
        "",
        "A claim is quoted (a value that the paper prints), stated (a statement of the paper that is judged here), a"
        " value of a formula of the paper, or ours. " + RULE,
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


def summary(claims: Sequence[Claim]) -> str:
    """Return how many claims of each kind agree. Only quoted values reproduce or do not."""
    quoted, stated, formula, ours = (tally(claims, kind) for kind in KINDS)
    return (
        f"{quoted.agree} of {quoted.total} values that the paper prints reproduce. {stated.agree} of {stated.total}"
        f" statements of the paper hold. {formula.agree} of {formula.total} values that follow from the paper's"
        f" formulas agree with an independent computation. {ours.total} values are ours, for comparison."
    )


def shown_by(item: Item, claims: Sequence[Claim]) -> str:
    """Return the test or the reason that an item names, and how many claims judge the item."""
    count = sum(claim.item == item.name for claim in claims)
    count_of_claims = f"{count} claim{'s' if count > 1 else ''} below" if count else ""
    return "; ".join(filter(None, [count_of_claims, item.shown_by]))


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
