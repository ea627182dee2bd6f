"""Golden folders, which must not change: five releases of made-up people, stored with the tests.

    uv run python -m tests.system.golden_folders

makes the folders again. Do this only if published folders shall change, and say in the commit what changed and why.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import yaml

import discreet as dc
from tests.system.golden import people

GOLDEN = Path(__file__).with_name("golden")
SECRET = bytes((37 * index + 11) % 256 for index in range(32)).hex()


def specifications() -> dict[str, dict[str, Any]]:
    """Return the specification of each folder, without its source and secret."""
    document: dict[str, dict[str, Any]] = yaml.safe_load(GOLDEN.joinpath("specifications.yaml").read_text("utf-8"))
    return document


def publish(name: str, folder: Path) -> Path:
    """Make one release. Return its folder."""
    people.write(folder / "people.csv")
    secret = folder / "secret.key"
    secret.touch(0o600)
    secret.write_text(SECRET)
    spec = specifications()[name] | {"source": {"csv": str(folder / "people.csv")}, "secret": {"file": str(secret)}}
    return dc.release.run(spec, folder / name).folder


def main() -> None:
    """Make all folders again, and replace the stored folders."""
    for name in specifications():
        with tempfile.TemporaryDirectory() as folder:
            folder_path = publish(name, Path(folder))
            shutil.rmtree(GOLDEN / name, ignore_errors=True)
            shutil.copytree(folder_path, GOLDEN / name)


if __name__ == "__main__":
    main()
