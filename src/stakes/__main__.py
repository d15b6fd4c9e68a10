"""python -m stakes: the command line."""

from stakes.cli import main

if __name__ == "__main__":
    main()
