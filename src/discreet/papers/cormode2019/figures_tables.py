"""Figures 5 and 6: the flowchart and the table of properties."""

from collections.abc import Sequence

from discreet.certify.table import PROPERTIES
from discreet.papers.cormode2019.count_mechanisms import NAMES, has_properties, named
from discreet.papers.cormode2019.flowchart import ANSWERS, QUESTIONS
from discreet.papers.figure import Arrow, Box, Figure, Flowchart, Panels, TextTable

ALPHAS = tuple(f"{k / 50:.2f}" for k in range(1, 50))
FULL_NAMES = {
    "S": "symmetry (S)",
    "RM": "row monotone (RM)",
    "RH": "row honest (RH)",
    "CM": "column monotone (CM)",
    "CH": "column honest (CH)",
    "F": "fair (F)",
    "WH": "weakly honest (WH)",
}


def _flowchart() -> Panels:
    boxes = [Box(name, question.text, question.x, question.y) for name, question in QUESTIONS.items()]
    boxes += [Box(name, answer.text, answer.x, answer.y, question=False) for name, answer in ANSWERS.items()]
    arrows = [Arrow(name, question.yes, "yes") for name, question in QUESTIONS.items()]
    arrows += [Arrow(name, question.no, "no") for name, question in QUESTIONS.items()]
    return [Flowchart("which of the properties are asked for?", boxes, arrows)]


def _properties() -> Panels:
    columns = {name: has_properties(name, 8, ALPHAS) for name in NAMES}
    rows = [[_cell(columns[name][one]) for name in NAMES] for one in FULL_NAMES]
    rows.append([f"{named(name, 8, '0.9').loss('L0'):.4f}" for name in NAMES])
    heads = ["EM* (ours)" if name == "EM*" else name for name in NAMES]
    assert set(FULL_NAMES) == set(PROPERTIES)
    return [TextTable("n = 8, alpha = 0.02 to 0.98", heads, [*FULL_NAMES.values(), "L0 at alpha = 0.9"], rows)]


def _cell(flags: Sequence[bool]) -> str:
    """Return "yes", "no", or the largest alpha up to which the property holds."""
    if all(flags):
        return "yes"
    if not any(flags):
        return "no"
    return f"alpha <= {ALPHAS[sum(flags) - 1]}"


FIGURES = (
    Figure(
        "5",
        "which mechanism to take for L0 and alpha > 1/2 (drawn from the text of section 6.3)",
        _flowchart,
        columns=1,
    ),
    Figure("6", "properties of the named mechanisms; WM in both readings", _properties, columns=1),
)
