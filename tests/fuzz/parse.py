"""Fuzz the parser along the branches that it takes, with atheris (`make atheris`).

    python -m tests.fuzz.parse -runs=100000 [FOLDER of found texts] [FOLDER of seeds …]

The law is that of tests/ir/text/test_fuzz.py. Half of the new texts are libFuzzer's own, half are
made by the edits of `mutation`. A text that breaks the law is left in a file `crash-…`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(  # pyright: ignore[reportAttributeAccessIssue]
    include=["weft.ir", "weft.layouts", "xdsl.parser", "xdsl.utils"]
):
    from tests.fuzz.law import check
    from tests.fuzz.mutation import random_edits, spoil
    from tests.ir.dialect_files import MODULES

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "ir"
FOUND = ROOT / ".fuzz"
OTHERS = list(MODULES.values())


def one_input(data: bytes) -> None:
    """Hold one text against the law."""
    check(data.decode(errors="replace"))


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Return a text made from another one."""
    if seed % 2:
        return atheris.Mutate(data, max_size)
    text = spoil(data.decode(errors="replace"), random_edits(Random(seed)), OTHERS)
    return text.encode(errors="replace")[:max_size]


def main() -> None:
    """Fuzz until -runs texts are tried, or something breaks."""
    arguments = list(sys.argv)
    if not any(not argument.startswith("-") for argument in arguments[1:]):
        FOUND.mkdir(exist_ok=True)
        arguments += [str(FOUND), str(SAMPLES)]
    if not any(argument.startswith("-max_len=") for argument in arguments):
        arguments.append("-max_len=8192")
    if not any(argument.startswith("-timeout=") for argument in arguments):
        arguments.append("-timeout=20")
    atheris.Setup(arguments, one_input, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
