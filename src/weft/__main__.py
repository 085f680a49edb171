"""`python -m weft` runs the command line, as `weft` does."""

from weft.cli import main

if __name__ == "__main__":
    main()
