"""Count the dumps of Triton that weft parses and prints byte for byte.

    python -m tests.oracle.dumps [--only WORD] [--target cuda:90 …]

Every case of the examples and of this folder's kernels, on eleven chips: the IR of the front end
and of every pass of make_ttir and make_ttgir, without and with locations, each distinct text
once; in the generic form and without aliases it must come back the same, too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.oracle import client
from tests.oracle.corpus import EXAMPLES, KERNELS, is_for, name
from weft.errors import WeftError
from weft.ir.text import parse_module, print_module
from weft.ir.verifier import verify

TARGETS = (
    "cuda:80",
    "cuda:89",
    "cuda:90",
    "cuda:100",
    "hip:gfx908",
    "hip:gfx90a",
    "hip:gfx942",
    "hip:gfx950",
    "hip:gfx1100",
    "hip:gfx1201",
    "hip:gfx1250",
)


@dataclass(slots=True)
class Count:
    """The results of the round trip of distinct texts.

    Attributes:
        texts: The texts so far.
        same: The number of identical texts, by form.
        total: The number of texts, by form.
        wrong: A note for each text that differs.
    """

    texts: set[str] = field(default_factory=set)
    same: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, form: str, text: str, label: str) -> None:
        """Parse a text and print it in every form."""
        if text in self.texts:
            return
        self.texts.add(text)
        for kind, problem in problems(text, locations=form == "with locations"):
            self.total[f"{form}{kind}"] += 1
            if problem is None:
                self.same[f"{form}{kind}"] += 1
            else:
                self.wrong.append(f"{label}: {form}{kind}: {problem}")


def problems(text: str, *, locations: bool) -> Iterator[tuple[str, str | None]]:
    """Yield (form, error or None) for each form in which the text is printed."""
    try:
        module = parse_module(text)
        verify(module)
    except WeftError as error:
        yield "", str(error).splitlines()[0]
        return
    yield "", difference(text, print_module(module, locations))
    for kind in ("generic", "local_scope"):
        again = print_module(module, locations, **{kind: True})
        try:
            yield f", {kind}", difference(text, print_module(parse_module(again), locations))
        except WeftError as error:
            yield f", {kind}", str(error).splitlines()[0]


def difference(expected_text: str, printed_text: str) -> str | None:
    """Return the first line that differs, None where there is none."""
    if expected_text == printed_text:
        return None
    for expected, printed in zip(
        expected_text.splitlines(), printed_text.splitlines(), strict=False
    ):
        if expected != printed:
            return f"{expected.strip()}  →  {printed.strip()}"
    return "one text is longer"


def compiles(only: str, targets: tuple[str, ...]) -> Iterator[tuple[Path, int, str]]:
    """Yield (file, index, target) of every case whose name holds `only`."""
    for path, index in EXAMPLES + KERNELS:
        for target in targets:
            if only in name(path, index, target) and is_for(path, index, target):
                yield path, index, target


def count(only: str = "", targets: tuple[str, ...] = TARGETS) -> Count:
    """Trace the cases with Triton and count."""
    counted = Count()
    with client.triton() as triton:
        for path, index, target in compiles(only, targets):
            label = name(path, index, target)
            try:
                dumps = triton.dumps(path, index, target)
            except client.TritonError as error:
                print(f"{label}: Triton itself refuses: {str(error).splitlines()[0]}")
                continue
            for step, plain, located in dumps:
                counted.add("plain", plain, f"{label} {step}")
                counted.add("with locations", located, f"{label} {step}")
    return counted


def main() -> None:
    """Print N of M per form, and what differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="")
    parser.add_argument("--target", action="append", choices=TARGETS)
    options = parser.parse_args()
    counted = count(options.only, tuple(options.target or TARGETS))
    for form, total in counted.total.items():
        print(f"{counted.same[form]} of {total}  {form}")
    for line in counted.wrong:
        print(line)


if __name__ == "__main__":
    main()
