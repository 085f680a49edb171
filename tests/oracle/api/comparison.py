"""Compare the public surface of Triton's wheel with what `import triton` finds under weft.

python -m tests.oracle.api.comparison                     N of M by module, and the rest by reason
python -m tests.oracle.api.comparison --show triton.knobs  each difference below a name

A name counts once, and so does each parameter of what can be called: it is the same if it has
Triton's name, kind, position and default. weft may have more parameters after them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from tests.oracle.api.reasons import reason_of
from tests.oracle.api.surface import Entry


@dataclass(frozen=True, slots=True)
class Item:
    """A name or a parameter of Triton's surface.

    Attributes:
        path: The name, or name(parameter).
        difference: How weft's differs; "" if it is the same.
    """

    path: str
    difference: str

    @property
    def reason(self) -> str:
        """Why it differs; "" if unknown."""
        if self.difference.startswith("unsupported: "):
            return "an error says what to use instead"
        return reason_of(self.path)


@cache
def items() -> tuple[Item, ...]:
    """Compare the whole surface; each package describes itself in its own process."""
    triton: dict[str, Entry] = json.loads(_run([], ""))
    weft: dict[str, Entry | None] = json.loads(_run(["--weft"], json.dumps(list(triton))))
    return tuple(_compare(triton, weft))


def _run(arguments: list[str], text: str) -> str:
    command = [sys.executable, "-m", "tests.oracle.api.surface", *arguments]
    process = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return process.stdout


def _compare(triton: dict[str, Entry], weft: dict[str, Entry | None]) -> Iterator[Item]:
    for path, expected in triton.items():
        actual = weft[path]
        parameters = expected.get("parameters") or []
        if actual is None or actual["kind"] == "unsupported":
            text = "missing" if actual is None else f"unsupported: {actual['hint']}"
            yield Item(path, text)
            yield from (Item(f"{path}({name})", text) for name, _, _ in parameters)
            continue
        yield Item(path, "")
        if "parameters" not in actual and parameters:
            yield from (Item(f"{path}({name})", "not a function") for name, _, _ in parameters)
            continue
        yield from _compare_parameters(path, parameters, actual.get("parameters") or [])


def _compare_parameters(
    path: str, expected: Iterable[tuple[str, str, str]], actual: list[tuple[str, str, str]]
) -> Iterator[Item]:
    by_name = {name: (index, kind, default) for index, (name, kind, default) in enumerate(actual)}
    kinds = {kind for _, kind, _ in actual}
    takes_any = kinds >= {"VAR_POSITIONAL", "VAR_KEYWORD"}
    for index, (name, kind, default) in enumerate(expected):
        texts: list[str] = []
        if kind.startswith("VAR"):
            texts.append("" if kind in kinds else "missing")
        elif name not in by_name:
            texts.append("" if takes_any else "missing")
        else:
            position, actual_kind, actual_default = by_name[name]
            if position != index and kind != "KEYWORD_ONLY":
                texts.append(f"position {position}, not {index}")
            if actual_kind != kind:
                texts.append(f"{actual_kind}, not {kind}")
            if (
                actual_default != default and default
            ):  # weft may have a default where Triton has none
                texts.append(f"default {actual_default or 'none'}, not {default}")
        yield Item(f"{path}({name})", ", ".join(filter(None, texts)))


def tables(only: Iterable[Item]) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Count the same items and all items by module, and the others by reason."""
    same: Counter[str] = Counter()
    total: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for item in only:
        group = _group(item.path)
        total[group] += 1
        if item.difference:
            reasons[item.reason or "no reason"] += 1
        else:
            same[group] += 1
    return same, total, reasons


def _group(path: str) -> str:
    """Find the row of the table: the module below `triton`."""
    parts = path.partition("(")[0].split(".")[:2]
    is_module = len(parts) > 1 and parts[1] in _GROUPS
    return ".".join(parts) if is_module else parts[0]


_GROUPS = "backends compiler experimental knobs language profiler runtime testing tools".split()


def show() -> bool:
    """Print the tables; return whether every difference has a reason."""
    same, total, reasons = tables(items())
    print(f"public surface of triton 3.7.1: {same.total()} of {total.total()}")
    for group, count in total.items():
        print(f"  {same[group]:5} of {count:5}  {group}")
    print("the rest by reason:")
    for reason, count in reasons.most_common():
        print(f"  {count:5}  {reason}")
    return "no reason" not in reasons


def main() -> int:
    """Print the tables, or each difference below a name; exit with 1 if one has no reason."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--show", help="list the differences below this name")
    parser.add_argument("--unexplained", action="store_true", help="only those without a reason")
    arguments = parser.parse_args()
    if arguments.show is None and not arguments.unexplained:
        return 0 if show() else 1
    for item in items():
        if not item.difference or not item.path.startswith(arguments.show or ""):
            continue
        if not arguments.unexplained or not item.reason:
            print(f"{item.path}: {item.difference} ({item.reason or 'no reason'})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
