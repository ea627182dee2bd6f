"""The public names: what `import discreet as dc` offers."""

import subprocess
import sys
from pathlib import Path

import pytest

import discreet


def test_every_public_name_is_there() -> None:
    for name in discreet.__all__:
        assert getattr(discreet, name) is not None
    assert set(discreet.__all__) == set(dir(discreet))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        discreet.nonsense  # noqa: B018


def test_errors_have_one_root() -> None:
    from discreet import errors

    raised = [value for name, value in vars(errors).items() if name.endswith("Error") and isinstance(value, type)]
    assert len(raised) > 5
    assert all(issubclass(error, discreet.DiscreetError) for error in raised)


def test_importing_discreet_loads_nothing_heavy() -> None:
    code = "import sys, discreet; print(sorted({'numpy', 'cryptography', 'matplotlib', 'rich'} & set(sys.modules)))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_a_design_is_a_function_whoever_loaded_its_file() -> None:
    code = (
        "import discreet.design.additive.geometric, discreet.plan.adviser; import discreet.design as designs;"
        "from discreet.design.cycle.cyclic import cyclic; from discreet.plan.adviser import advise;"
        "assert all(callable(getattr(designs, name)) for name in designs.__all__);"
        "assert designs.advise is advise and designs.cyclic is cyclic and dir(designs) == designs.__all__"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_release_loads_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("sex\nf\nm\n")
    spec = {
        "version": "1",
        "source": {"csv": str(tmp_path / "people.csv")},
        "dimensions": {"sex": {"column": "sex", "categories": ["f", "m"]}},
        "tables": [{"name": "t", "dimensions": ["sex"]}],
        "design": {"name": "geometric", "epsilon": "0.5"},
        "budget": {"epsilon": 1, "delta": "1e-6"},
        "key": "fresh",
    }
    heavy = {"highspy", "sqlalchemy", "pandas", "matplotlib", "scipy", "rich", "pyarrow.parquet"}
    code = (
        f"import sys; from discreet.release import run; run({spec!r}, {str(tmp_path / 'out')!r});"
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_folder_is_checked_without_a_solver(tmp_path: Path) -> None:
    """Of the demo, whose tables add up without one, by the command."""
    code = (
        "import sys; from discreet.cli import main\n"
        "for sys.argv in ([['discreet', 'demo', '-o', sys.argv[1]], ['discreet', 'verify', sys.argv[1]]]):\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as end:\n"
        "        assert not end.code, end.code\n"
        "print(sorted({'highspy', 'ortools', 'scipy', 'clarabel', 'matplotlib'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "town")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "every claim holds" in done.stdout


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert version("discreet") == discreet.__version__
