"""Draw docs/packages.svg: the packages of Discreet, what each is for, and which imports which.

    uv run python -m tools.package_map

Arrows come from the import graph, words from the first sentence of each package's docstring. Only the places of the
boxes are decided here, so that every arrow is a straight line downwards. An arrow is left out if a chain of other
arrows leads to the same target. A new package needs a place in BOXES.
"""

import ast
import re
import textwrap
import tomllib
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "discreet"
PICTURE = ROOT / "docs" / "packages.svg"

Edge = tuple[str, str]


@dataclass(frozen=True)
class Box:
    """A rectangle in units of the grid: rows `top` to `bottom`, columns from `left` to `right`."""

    top: int
    bottom: int
    left: float
    right: float


BOXES = {
    "cli": Box(0, 0, 0, 12),
    "web": Box(1, 1, 1.5, 4.5),
    "prepare": Box(2, 4, 0.5, 2.25),
    "release": Box(2, 2, 2.5, 5),
    "papers": Box(2, 2, 5, 8),
    "formats": Box(2, 7, 8, 10),
    "testing": Box(2, 7, 10, 12),
    "infer": Box(3, 3, 2.4, 8),
    "publish": Box(4, 4, 2.25, 8),
    "count": Box(5, 5, 0, 8 / 3),
    "measure": Box(5, 5, 8 / 3, 16 / 3),
    "reconcile": Box(5, 5, 16 / 3, 8),
    "plan": Box(6, 6, 0, 8),
    "design": Box(7, 7, 0, 4),
    "account": Box(7, 7, 4, 8),
    "mechanism": Box(8, 8, 3, 12),
    "linear_program": Box(8, 9, 0, 3),
    "assess": Box(9, 9, 3, 7.5),
    "certify": Box(9, 9, 7.5, 12),
}
GROUND = Box(10, 10, 0, 12)
"""The box of the modules that everything stands on; no arrows are drawn to it."""

UNIT, ROW, GAP, MARGIN = 86, 118, 34, 12
NAME_HEIGHT, LINE_HEIGHT = 24, 17
CHARACTER = 6.3
"""Width of a character of the words, in pixels."""


def layers() -> list[str]:
    """The packages and modules of Discreet, from the top layer of pyproject.toml to the lowest."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (contract,) = settings["tool"]["importlinter"]["contracts"]
    return [name.strip() for layer in contract["layers"] for name in layer.split("|")]


def ground() -> list[str]:
    """The modules that everything stands on. Raise SystemExit if a package has no box."""
    names = [name for name in layers() if name not in BOXES]
    packages = [name for name in names if (SOURCE / name).is_dir()]
    if packages:
        raise SystemExit(f"{packages} have no place in the picture; add them to BOXES in tools/package_map.py")
    return names


def words(name: str) -> str:
    """The first sentence of the docstring of a package or module, without the full stop."""
    path = SOURCE / name / "__init__.py"
    tree = ast.parse((path if path.exists() else SOURCE / f"{name}.py").read_text())
    sentence = re.split(r"\.\s|\.$|\n\n", ast.get_docstring(tree) or "", maxsplit=1)[0]
    return " ".join(sentence.replace("`", "").split())


def imports() -> set[Edge]:
    """(importer, imported) for the packages that have a box."""
    graph = grimp.build_graph("discreet", exclude_type_checking_imports=True, cache_dir=None)
    edges = set()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            edge = (module.split(".")[1:2] or [""])[0], (imported.split(".")[1:2] or [""])[0]
            if edge[0] != edge[1] and set(edge) <= set(BOXES):
                edges.add(edge)
    return edges


def below(edges: set[Edge], name: str) -> set[str]:
    """Everything that a package reaches by one arrow or more."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        importer = waiting.pop()
        for imported in {target for source, target in edges if source == importer} - reached:
            reached.add(imported)
            waiting.append(imported)
    return reached


def arrows(edges: set[Edge]) -> list[Edge]:
    """The edges that no chain of other edges replaces."""
    return sorted(edge for edge in edges if edge[1] not in below(edges - {edge}, edge[0]))


def column(source: str, target: str) -> float:
    """The middle of the widest free stretch between two boxes. Raise SystemExit if there is none."""
    upper, lower = BOXES[source], BOXES[target]
    between = [box for box in BOXES.values() if box.bottom > upper.bottom and box.top < lower.top]
    left, right = max(upper.left, lower.left), min(upper.right, lower.right)
    ends = sorted({left, right, *(x for box in between for x in (box.left, box.right) if left < x < right)})
    free = [(a, b) for a, b in pairwise(ends) if not any(box.left < b and a < box.right for box in between)]
    if upper.bottom >= lower.top or not free:
        raise SystemExit(f"no straight line leads from {source} down to {target}; change BOXES in tools/package_map.py")
    a, b = max(free, key=lambda stretch: stretch[1] - stretch[0])
    return (a + b) / 2


def top(row: int) -> float:
    return MARGIN + row * ROW


def bottom(row: int) -> float:
    return top(row + 1) - GAP


def left(x: float) -> float:
    return MARGIN + x * UNIT


def draw_box(box: Box, name: str, text: str, style: str) -> list[str]:
    """A rectangle with a name and words below the name. Raise SystemExit if the words do not fit."""
    x, width = left(box.left) + 6, (box.right - box.left) * UNIT - 12
    y, height = top(box.top), bottom(box.bottom) - top(box.top)
    lines = textwrap.wrap(text, int((width - 20) / CHARACTER), break_on_hyphens=False)
    middle = x + width / 2
    spare = height - NAME_HEIGHT - LINE_HEIGHT * len(lines)
    if spare < 0:
        raise SystemExit(f"the words of {name} do not fit into their box: shorten the first sentence of its docstring")
    baseline = y + spare / 2 + 15
    written = [f'<text class="name" x="{middle:.0f}" y="{baseline:.0f}">{escape(name)}</text>']
    for i, line in enumerate(lines):
        written.append(f'<text x="{middle:.0f}" y="{baseline + 20 + LINE_HEIGHT * i:.0f}">{escape(line)}</text>')
    return [
        f'<rect class="{style}" x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="7"/>',
        *written,
    ]


def draw_arrow(source: str, target: str) -> str:
    """A line from the lower edge of a box to the upper edge of another."""
    x, start, end = left(column(source, target)), bottom(BOXES[source].bottom), top(BOXES[target].top)
    return (
        f'<path class="arrow" d="M{x:.0f} {start:.0f}V{end - 8:.0f}"/><path d="M{x - 5:.0f} {end - 9:.0f}h10l-5 9z"/>'
    )


STYLE = """
text { font: 12.5px system-ui, "DejaVu Sans", sans-serif; text-anchor: middle; fill: #333 }
.name { font-size: 16px; font-weight: 600; fill: #111 }
.box { fill: #eef3f9; stroke: #7b93b0 }
.ground { fill: #f2f0ea; stroke: #a59c86 }
.arrow { stroke: #444; stroke-width: 1.5 }
path { fill: #444 }
"""


def picture() -> str:
    """The text of docs/packages.svg."""
    width, height = 2 * MARGIN + 12 * UNIT, bottom(GROUND.bottom) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height:.0f}">',
        "<title>The packages of Discreet. An arrow leads from a package to a package that it imports.</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height:.0f}" fill="#fff"/>',
    ]
    parts += [draw_arrow(*arrow) for arrow in arrows(imports())]
    for name, box in BOXES.items():
        parts += draw_box(box, name if (SOURCE / name).is_dir() else f"{name}.py", words(name), "box")
    parts += draw_box(GROUND, ", ".join(ground()), "What everything stands on: one module each", "ground")
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture())
