"""`python -m folder DIR`: what a release folder proves; exit status 2 if a claim fails."""

import sys

from . import check


def main() -> int:
    """Print the findings of one folder."""
    if len(sys.argv) != 2:
        print("give the folder of a release: python -m folder DIR")
        return 2
    report = check(sys.argv[1])
    for each in report.findings:
        print(f"{each.word:10} {each.what}: {each.text}")
    for line in report.stated:
        print(f"{'stated':10} {line}")
    return 2 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
