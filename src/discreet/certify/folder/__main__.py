"""`python -m folder DIR`: print what a release folder proves, and exit with 2 if a claim fails."""

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
    except BrokenPipeError:  # the reader of a pipe may stop reading
        _print_nowhere()
    except OSError as error:
        _print_nowhere()
        print(f"error: standard output cannot be written ({error.strerror}); make room", file=sys.stderr)
        return 2
    return 2 if report.failures else 0


def _lines(report: Report) -> Iterator[str]:
    for finding in report.findings:
        yield f"{finding.verdict:10} {finding.claim}: {finding.text}"
    for statement in report.stated:
        yield f"{'stated':10} {statement}"


def _print_nowhere() -> None:
    """Replace standard output, so that Python does not fail again at exit when it flushes the unwritten lines."""
    descriptor = os.open(os.devnull, os.O_WRONLY)
    os.dup2(descriptor, sys.stdout.fileno())
    os.close(descriptor)


if __name__ == "__main__":
    sys.exit(main())
