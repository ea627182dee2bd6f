"""The public names: what `import discreet as dc` offers."""

import subprocess
import sys

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


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert version("discreet") == discreet.__version__
