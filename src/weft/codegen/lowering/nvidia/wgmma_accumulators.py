"""Copy the initial accumulators of a loop with wgmma to registers before the loop.

wgmma writes its accumulators asynchronously until a wait. If the loop may run zero times, a phi
after the loop merges its initial values with accumulators that may still be in flight:

    before:  br %runs, body, exit
    body:    %acc = phi [0, before], [%next, body]     …    br %more, body, exit
    exit:    %sum = phi [0, before], [%next, body]          ; copies zeros into %next's registers

ptxas then serializes all wgmma instructions (warning C7515). If each zero is in a register before
the branch, the phis become that register, and nothing is copied:

    before:  %z = call {float, …} asm sideeffect "", "=f,…,0,…"(float 0.0, …)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute

from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.writer import Writer
from weft.ir import types
from weft.layouts import NvidiaMmaEncoding

__all__ = ["is_wgmma_accumulator", "copy_to_registers"]

_VERSION = 3
_LETTERS = {"float": "f", "i32": "r", "double": "d", "half": "h"}


def is_wgmma_accumulator(type_: Attribute) -> bool:
    """Check whether values of a type are wgmma accumulators."""
    if not types.is_tensor(type_) or llvm_type(type_) not in _LETTERS:
        return False
    encoding = types.encoding(type_)
    return isinstance(encoding, NvidiaMmaEncoding) and encoding.version_major == _VERSION


def copy_to_registers(writer: Writer, type_: str, values: Sequence[str]) -> Sequence[str]:
    """Copy values to distinct registers, unless they are in distinct ones already.

    Args:
        writer: Where to write.
        type_: LLVM type of a value.
        values: LLVM values.
    """
    count = len(values)
    if len({value for value in values if value.startswith("%")}) == count:
        return values
    letter = _LETTERS[type_]
    constraints = ",".join([*[f"={letter}"] * count, *map(str, range(count))])
    operands = ", ".join(f"{type_} {value}" for value in values)
    kind = f"{{ {', '.join([type_] * count)} }}" if count > 1 else type_
    # `sideeffect` keeps LLVM from merging the copies of two loops.
    copies = writer.value(f'call {kind} asm sideeffect "", "{constraints}"({operands})')
    if count == 1:
        return [copies]
    return [writer.value(f"extractvalue {kind} {copies}, {n}") for n in range(count)]
