"""`python -m folder DIR`: what a release folder proves; exit status 2 if a claim fails."""

import io
import os
import sys
from collections.abc import Iterator

from . import Report, check


def main() -> int:
    """Print the findings of one folder. Return 2 if a claim fails or if the findings cannot be printed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may lack a character of a label
            stream.reconfigure(errors="backslashreplace")
    if len(sys.argv) != 2:
        print("give the folder of a release: python -m folder DIR", file=sys.stderr)
        return 2
    report = check(sys.argv[1])
    try:
        for line in _lines(report):
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads a pipe may stop
        _print_nowhere()
    except OSError as error:
        _print_nowhere()
        print(f"error: standard output cannot be written ({error.strerror}); make room", file=sys.stderr)
        return 2
    return 2 if report.failures else 0


def _lines(report: Report) -> Iterator[str]:
    for each in report.findings:
        yield f"{each.word:10} {each.what}: {each.text}"
    for line in report.stated:
        yield f"{'stated':10} {line}"


def _print_nowhere() -> None:
    """Have Python not fail again, at its end, at what could not be written."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
