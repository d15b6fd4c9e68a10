"""The command stakes, also as python -m stakes: signals are looked after before all else."""

import sys
from typing import NoReturn

from stakes._signals import end_asked_for, raise_on_signals


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    try:
        raise_on_signals()
        from stakes.cli import main as run  # noqa: PLC0415  slow to load

        run()
    except SystemExit:
        raise
    except BaseException:
        end = end_asked_for()  # while it was loading
        if end is None:
            raise
        sys.stderr.write(f"stakes: {end.message}\n")
        sys.exit(end.code)


if __name__ == "__main__":
    main()
