"""Make the pictures of docs/tutorial.md again, from the specification on that page: a plan, and a report in Chromium.

    uv run python -m tools.site_pictures

The noise of the release is drawn anew, so the numbers in the pictures of the report change.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDTH = 1000
CHROMIUM = ("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-sync")


def main() -> None:
    """Publish the town of the tutorial in a temporary folder, and take the pictures."""
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    found = re.search(r"^```yaml release\.yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    if found is None:
        sys.exit("docs/tutorial.md has no block release.yaml")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "release.yaml").write_text(found[1])
        _run(folder, sys.executable, str(ROOT / "examples" / "make_town.py"), "town.csv.gz")
        _run(folder, "discreet", "plan", "release.yaml", "--plot", "plan.png")
        _run(folder, "discreet", "release", "release.yaml", "-o", "published")
        _run(folder, *CHROMIUM, f"--user-data-dir={folder / 'profile'}", f"--window-size={WIDTH},2600",
             f"--screenshot={folder / 'report.png'}", (folder / "published" / "report.html").as_uri())  # fmt: skip
        PICTURES.mkdir(exist_ok=True)
        _save(Image.open(folder / "plan.png"), "plan.png")
        report = Image.open(folder / "report.png")
        _save(report.crop((0, 0, WIDTH, 690)), "report.png")
        _save(report.crop((0, 1286, WIDTH, 1856)), "report-table.png")


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603


def _save(picture: Image.Image, name: str) -> None:
    """Save a picture with 64 colours, which is enough for texts and lines, and small."""
    picture.convert("RGB").quantize(64).save(PICTURES / name, optimize=True)


if __name__ == "__main__":
    main()
