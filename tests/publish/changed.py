"""A small release, and copies of its folder that are changed and have right digests again."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import discreet as dc

Change = Callable[["Copy"], None]


def release(directory: Path, **fields: Any) -> Path:
    """Publish one table of 300 people in all formats. Return the folder."""
    rows = "".join(f"{'abc'[i * i % 7 % 3]},{'fm'[i % 3 % 2]}\n" for i in range(300))
    (directory / "people.csv").write_text("place,sex\n" + rows)
    spec = {
        "version": "1",
        "source": {"csv": str(directory / "people.csv")},
        "dimensions": {
            "place": {"column": "place", "categories": ["a", "b", "c"]},
            "sex": {"column": "sex", "categories": ["f", "m"]},
        },
        "tables": [{"name": "t", "dimensions": ["place", "sex"], "margins": "all"}],
        "design": {"name": "geometric", "epsilon": "0.5"},
        "budget": {"epsilon": "2", "delta": "1e-6"},
        "key": "fresh",
        "outputs": ["csv", "parquet", "json-stat"],
        **fields,
    }
    return dc.release.run(spec, directory / "released").folder


class Copy:
    """A copy of a release folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_bytes())

    def set(self, path: str, value: Any) -> None:
        """Change one field of the manifest, such as privacy.touches."""
        *above, last = path.split(".")
        inner: Any = self.manifest
        for name in above:
            inner = inner[name]
        inner[last] = value

    def certificate(self, name: str, value: str) -> None:
        """Change one number of the certificate's guarantee, and correct the digest of the certificate."""
        path = self.folder / "certificate.json"
        document = json.loads(path.read_bytes())
        document["guarantee"][name] = value
        del document["digest"]
        document["digest"] = f"sha256:{hashlib.sha256(_canonical(document)).hexdigest()}"
        path.write_bytes(_canonical(document))
        for grouping in self.manifest["groupings"]:
            grouping["ptable"] = document["digest"]

    def sign(self) -> None:
        """Write the manifest with the present digests of the files."""
        for name in self.manifest["files"]:
            digest = hashlib.sha256((self.folder / name).read_bytes()).hexdigest()
            self.manifest["files"][name] = f"sha256:{digest}"
        written = json.dumps(self.manifest, ensure_ascii=False, indent=2) + "\n"
        (self.folder / "manifest.json").write_text(written, "utf-8")


def _canonical(document: Any) -> bytes:
    return (json.dumps(document, sort_keys=True, indent=1, ensure_ascii=True) + "\n").encode()


def changed(folder: Path, target: Path, change: Change) -> Path:
    """Copy a release folder, change the copy, and correct its digests. Return the copy."""
    shutil.copytree(folder, target)
    copy = Copy(target)
    change(copy)
    copy.sign()
    return target


def field(path: str, value: Any) -> Change:
    """Return a change of one field of the manifest."""
    return lambda copy: copy.set(path, value)
