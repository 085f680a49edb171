"""Run the address computation of Triton's lowering for every thread.

The LLVM dialect that Triton prints computes each address from the thread's number with a dozen
operations. These are run here on arrays, an entry per thread; what is no number is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["SharedAccess", "shared_accesses"]

_BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": np.left_shift,
    "lshr": np.right_shift,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "udiv": np.floor_divide,
    "urem": np.remainder,
}
_COMPARED = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "ult": np.less}
_ASSIGNED = re.compile(r"\s*(%\w+) = (.*)")
_OPERANDS = re.compile(r"%\w+")
_ACCESS = (
    (re.compile(r'"[^"]*(st|ld)\.shared(?:\.v(\d))?\.b(\d+)[^"]*", "[^"]*" (%\w+)'), "asm"),
    (re.compile(r"llvm\.(store) %\w+, (%\w+) .*: (\S+), !llvm\.ptr<3>"), "plain"),
    (re.compile(r"llvm\.(load) (%\w+) .*: !llvm\.ptr<3> -> (\S+)"), "plain"),
    (re.compile(r"nvvm\.(ldmatrix|stmatrix) (%\w+)"), "matrix"),
    (re.compile(r"ds\.(?:read|load)\.tr\d+(?:\.b\d+)\D*?(%\w+)"), "transposing"),
)


@dataclass(frozen=True)
class SharedAccess:
    """Hold one instruction to shared memory.

    Fields: kind: "read" or "write".  bits: of a lane's row.  lanes: of a warp that name a row.
    addresses: in bytes, one per thread.
    """

    kind: str
    bits: int
    lanes: int
    addresses: np.ndarray


def shared_accesses(text: str, threads: int, warp: int) -> list[SharedAccess]:
    """Return the accesses of a function in the order in which it makes them.

    Args: text: of the LLVM dialect.  threads: of the block.  warp: threads of a warp.
    """
    values: dict[str, np.ndarray] = {}
    listed = []
    for line in text.splitlines():
        assigned = _ASSIGNED.match(line)
        if assigned:
            value = _value(assigned[2], values, threads, warp)
            if value is not None:
                values[assigned[1]] = value
        for pattern, family in _ACCESS:
            match = pattern.search(line)
            if match:
                listed.append(_access(family, match, line, values, warp))
                break
    return listed


def _value(text: str, values: dict[str, np.ndarray], threads: int, warp: int) -> np.ndarray | None:
    if "workitem.id.x" in text or "sreg.tid.x" in text:
        return np.arange(threads)
    if text.startswith("ttg.warp_id") or "amdgcn.wave.id" in text:
        return np.arange(threads) // warp
    constant = re.match(r"llvm\.mlir\.constant\((-?\d+) : i\d+\)", text)
    if constant:
        return np.full(threads, int(constant[1]))
    operands = [values.get(name) for name in _OPERANDS.findall(text.partition(" : ")[0])]
    name = text.split()[0].removeprefix("llvm.")
    if name == "getelementptr":
        assert text.endswith("i8"), text
        start = np.zeros(threads, int) if operands[0] is None else operands[0]
        return None if operands[1] is None else start + operands[1]
    if any(operand is None for operand in operands):
        return None
    known = [operand for operand in operands if operand is not None]
    if name in _BINARY:
        return _BINARY[name](known[0], known[1])
    if name == "icmp":
        compared = re.search(r'"(\w+)"', text)
        assert compared
        return _COMPARED[compared[1]](known[0], known[1])
    if name == "select":
        return np.where(known[0], known[1], known[2])
    return known[0] if name.endswith("readfirstlane") else None


def _access(
    family: str, match: re.Match[str], line: str, values: dict[str, np.ndarray], warp: int
) -> SharedAccess:
    from tests.layouts.triton_lowering import BITS

    if family == "asm":
        kind, bits = match[1], int(match[2] or 1) * int(match[3])
        return SharedAccess("write" if kind == "st" else "read", bits, warp, values[match[4]])
    if family == "plain":
        vector = re.match(r"vector<(\d+)x(\w+)>", match[3])
        bits = int(vector[1]) * BITS[vector[2]] if vector else BITS[match[3]]
        return SharedAccess(
            "write" if match[1] == "store" else "read", bits, warp, values[match[2]]
        )
    if family == "matrix":
        number = re.search(r"num = (\d)", line)
        count = int(number[1]) if number else line.partition("{")[0].count("%") - 1
        kind = "write" if match[1] == "stmatrix" else "read"
        return SharedAccess(kind, 128, 8 * count, values[match[2]])
    return SharedAccess("read", 128 if "b128" in line else 64, warp, values[match[1]])
