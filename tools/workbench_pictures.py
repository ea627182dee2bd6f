"""Make the pictures of docs/howto/workbench.md again: the workbench on the demo's town, in Chromium.

    uv run python -m tools.workbench_pictures

It needs what tests/browser needs.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from PIL import Image

from discreet.release.demo_town import unpack

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
DRIVER = ROOT / "tests" / "browser" / "check_workbench.mjs"
SIZE = (1280, 860)
PAGES = {
    "tables": "tables",
    "dimension": "dimension?name=age",
    "studio": "studio?counts=bounded&n=20&design=geometric&design=fair",
}


def main() -> None:
    """Start the workbench in a temporary folder, and take a picture of each page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        document = unpack(folder) | {"source": {"csv": "town.csv"}}
        (folder / "town.yaml").write_text(yaml.safe_dump(document, sort_keys=False, allow_unicode=True))
        command = [sys.executable, "-c", "from discreet.cli import main; main()", "workbench", "town.yaml"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
            try:
                assert process.stdout is not None
                found = re.search(r"http://\S+", process.stdout.readline())
                assert found is not None
                _take(found.group(), folder)
            finally:
                process.terminate()
        for picture in PAGES:
            image = Image.open(folder / f"{picture}.png").convert("RGB")
            image.quantize(64).save(PICTURES / f"workbench-{picture}.png", optimize=True)


def _take(address: str, folder: Path) -> None:
    """Take the pictures. Exit if something is wrong with a page."""
    journey: list[tuple[object, ...]] = []
    for picture, page in PAGES.items():
        journey += [("goto", page), ("picture", str(folder / f"{picture}.png"), *SIZE)]
    request = {"browser": shutil.which("chromium"), "address": address, "journey": journey}
    node = shutil.which("node") or "node"
    done = subprocess.run([node, str(DRIVER)], input=json.dumps(request), capture_output=True, text=True, check=True)  # noqa: S603
    wrong = json.loads(done.stdout)["wrong"]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
