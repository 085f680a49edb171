"""Names of values and source locations of our TTIR and TTGIR beside Triton's.

    %rows_1 = arith.addi %rows, %0 : i32 loc("rows"("kernel.py":7:12))

The text of a location here has neither aliases nor the name of the file: `rows(7:12)`. A line of a
standard library is the library's own; `library` replaces all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute

import weft
from tests.oracle import client, weft_side
from tests.oracle.channel_order import in_channel_order
from tests.oracle.compare import Comparison, Difference
from tests.oracle.corpus import COMPILES, kernels_of, name
from tests.oracle.decisions import decision_of
from tests.oracle.tally import Tally
from weft.ir import scf, tt, ttg
from weft.ir.builtin import ModuleOp, Operation
from weft.ir.locations import CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc
from weft.ir.text import parse_module, print_module

__all__ = ["CAUSES", "LOCATED", "compare_case", "compare_located", "located_tallies"]

CAUSES = ("op", "name", "location")
TARGETS = ("cuda:90", "hip:gfx942")
LOCATED = [compile_ for compile_ in COMPILES if compile_[2] in TARGETS]
"""The compiles whose names and locations are compared."""

_POSITION = r'"[^"]*":\d+:\d+'
_INLINE = rf"callsite\(#loc\d* at #loc\d*\)|{_POSITION}|\"[^\"]*\"(?:\(#loc\d*\))?|#loc\d*|unknown"


def text_of(location: Attribute) -> str:
    """Write a location without aliases and files."""
    match location:
        case FileLineColLoc():
            if "/language/" in location.filename.data:
                return "library"
            return f"{location.line.data}:{location.column.data}"
        case NameLoc():
            return f"{location.desc.data}({text_of(location.location)})"
        case CallSiteLoc():
            return f"[{text_of(location.callee)} at {text_of(location.caller)}]"
        case FusedLoc():
            parts = location.locations.data if isinstance(location.locations, ArrayAttr) else ()
            return f"fused[{', '.join(map(text_of, parts))}]"
        case _:
            return "unknown"


def _located(module: ModuleOp) -> Iterator[str]:
    """List the operations and function arguments with the locations that the text shows."""
    for op in module.walk():
        if _is_printed(op):
            yield f"{op.name} {text_of(op.location)}"
        if isinstance(op, tt.FuncOp):
            for argument in op.entry.args:
                yield f"argument {argument.index} {text_of(argument.location)}"


def _is_printed(op: Operation) -> bool:
    """Check whether a text shows an operation: not a yield of nothing, nor the partitions' op."""
    if isinstance(op, scf.YieldOp):
        return bool(op.operands)
    return not isinstance(op, ttg.WarpSpecializePartitionsOp)


def without_locations(text: str) -> str:
    """Remove the locations of a text, and keep the names."""
    body = re.sub(r"^#loc\d* = .*\n", "", text, flags=re.MULTILINE)
    return re.sub(rf" loc\((?:{_INLINE})\)", "", body).rstrip()


def compare_located(expected: str, module: ModuleOp) -> Comparison:
    """Compare a module with Triton's text of it, which has locations.

    The causes of differences are the IR itself ("op"), the name of a value, or a location.
    """
    reference = parse_module(expected)
    pairs = list(zip(_located(reference), _located(module), strict=False))
    texts = print_module(reference), print_module(module)
    if texts[0] != texts[1]:
        # Triton's order of channels changes from run to run; operations have no partners then.
        is_same = in_channel_order(texts[0]) == in_channel_order(texts[1])
        difference = Difference("op", "Triton's IR", "other IR")
        return Comparison(len(pairs), () if is_same else (difference,))
    differences = [Difference("location", *pair) for pair in pairs if pair[0] != pair[1]]
    expected_lines = without_locations(expected).splitlines()
    lines = without_locations(print_module(module, names=True)).splitlines()
    differences += [
        Difference("name", *pair)
        for pair in zip(expected_lines, lines, strict=True)
        if pair[0] != pair[1]
    ]
    return Comparison(len(pairs), tuple(differences))


def compare_case(triton: client.Triton, path: Path, index: int, target: str) -> Comparison | None:
    """Compare the names and locations of a compile: its TTIR, and its TTGIR.

    TTGIR that differs on purpose is left out.

    Returns:
        The comparison, None if Triton fails to compile the kernel.
    """
    try:
        expected = triton.located(path, index, target)
    except client.TritonError:
        return None
    kernel, signature, constexprs, *_ = weft_side.load(path).CASES[index]
    compiled = weft.compile(
        kernel,
        signature=signature,
        constexprs=constexprs,
        target=target,
        options=weft_side.case_options(path, index, target),
    )
    is_decided = decision_of((path, index, target)) is not None
    stages = ("ttir",) if is_decided else ("ttir", "ttgir")
    parts = [compare_located(expected[stage], compiled.module(stage)) for stage in stages]
    differences = tuple(difference for part in parts for difference in part.differences)
    return Comparison(sum(part.total for part in parts), differences)


def located_tallies(
    triton: client.Triton, compiles: Iterable[tuple[Path, int, str]]
) -> dict[str, Tally]:
    """Compare the compiles that Triton does not fail at, a row for each kernel."""
    rows: dict[str, Tally] = {}
    for path, index, target in compiles:
        comparison = compare_case(triton, path, index, target)
        if comparison is not None:
            row = rows.setdefault(kernels_of(path)[index], Tally())
            row.add(name(path, index, target), lambda comparison=comparison: comparison)
    return rows
