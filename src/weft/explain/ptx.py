"""Read PTX: the kind and width of an instruction, and the source positions of `.loc`.

ld.shared.v4.b32 {…}, [%r1+512];                     ("shared load", 128)
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {…}, [%r2]; ("matrix load", 128)
.loc 2 291 36, function_name $L__info_string0, inlined_at 1 34 20
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TypeAlias

__all__ = ["Chain", "classify_ptx", "positions_of_ptx"]

Chain: TypeAlias = "tuple[tuple[str, int], ...]"
"""The (file, line) pairs of an instruction, the innermost function first."""

_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?")
_INSTRUCTION = re.compile(r"\s*(?:@!?%?\w+\s+)?([a-z][a-z0-9_]*(?:[.:][\w:]+)*)\s*([^;]*);")
_WIDTH = re.compile(r"\.[bsuf]f?(8|16|32|64|128)(x2)?$")
_ACCESS = re.compile(r"(ld|st|atom|red)\.")
_ACCESS_KINDS = {
    ("ld", "global"): "global load",
    ("st", "global"): "global store",
    ("ld", "shared"): "shared load",
    ("st", "shared"): "shared store",
    ("ld", "shared::cta"): "shared load",
    ("st", "shared::cta"): "shared store",
    ("ld", "shared::cluster"): "cluster load",
    ("ld", "local"): "local load",
    ("st", "local"): "local store",
    ("atom", "global"): "global atomic",
    ("red", "global"): "global atomic",
    ("atom", "shared"): "shared atomic",
    ("red", "shared"): "shared atomic",
}
_BY_PREFIX = (
    ("shfl.sync.", "shuffle", 32),
    ("redux.sync.", "warp reduction", 32),
    ("bar.warp.sync", "warp barrier", 0),
    ("bar.sync", "barrier", 0),
    ("barrier.sync", "barrier", 0),
    ("barrier.cta.sync", "barrier", 0),
    ("barrier.cluster.wait", "cluster barrier", 0),
    ("mma.sync.", "mma", 0),
    ("wgmma.mma_async.", "mma", 0),
    ("tcgen05.mma.", "mma", 0),
    ("cp.async.bulk.tensor.", "tile copy", 0),
    ("cp.reduce.async.bulk.tensor.", "tile copy", 0),
)
_MATRICES = re.compile(r"\.x(\d)\b")


def positions_of_ptx(text: str) -> Iterator[tuple[str, Chain]]:
    """Yield the instruction lines of PTX with their source positions."""
    files = {number: name for number, name in _FILE.findall(text)}
    callers: dict[tuple[str, ...], tuple[str, ...] | None] = {}
    chain: Chain = ()
    for line in text.splitlines():
        loc = _LOC.match(line)
        if loc is None:
            if line.endswith(";") or "//" in line:
                yield line, chain
            continue
        place, caller = loc.groups()[:3], loc.groups()[3:]
        callers[place] = caller if caller[0] else None
        chain = tuple(_chain(place, callers, files))


def _chain(
    place: tuple[str, ...] | None,
    callers: dict[tuple[str, ...], tuple[str, ...] | None],
    files: dict[str, str],
) -> Iterator[tuple[str, int]]:
    """Yield a position and those of the calls that it was inlined into.

    PTX has the `.loc` of a call before those of the callee.
    """
    visited: set[tuple[str, ...]] = set()
    while place is not None and place not in visited:
        visited.add(place)
        yield str(PurePosixPath(files.get(place[0], ""))), int(place[1])
        place = callers.get(place)


def classify_ptx(line: str) -> Iterator[tuple[str, int, str]]:
    """Yield the kind, width and opcode of an instruction, if it is of a kind that is counted."""
    match = _INSTRUCTION.match(line)
    if match is None:
        return
    opcode, operands = match.groups()
    if _ACCESS.match(opcode):
        kind = _access_kind(opcode)
        if kind:
            yield kind, _access_bits(opcode), opcode
        return
    if opcode.startswith(("ldmatrix.", "stmatrix.")):
        matrices = _MATRICES.search(opcode)
        kind = "matrix load" if opcode.startswith("ld") else "matrix store"
        yield kind, 32 * int(matrices[1] if matrices else 1), opcode
    elif opcode.startswith(("cp.async.ca.", "cp.async.cg.")):
        size = operands.split("],")[-1].split(",")[0].strip()
        yield "async copy", 8 * int(size), opcode
    elif opcode.startswith(("tcgen05.ld.", "tcgen05.st.")):
        registers = operands[operands.index("{") : operands.index("}")].count(",") + 1
        kind = "tensor memory load" if opcode.startswith("tcgen05.ld") else "tensor memory store"
        yield kind, 32 * registers, opcode
    else:
        for prefix, kind, bits in _BY_PREFIX:
            if opcode.startswith(prefix):
                yield kind, bits, opcode
                return


def _access_kind(opcode: str) -> str:
    """Find the kind of a load, store or atomic, "" if its state space is not counted."""
    verb, *parts = opcode.split(".")
    return next((_ACCESS_KINDS[verb, part] for part in parts if (verb, part) in _ACCESS_KINDS), "")


def _access_bits(opcode: str) -> int:
    """Compute the bits that a lane moves: the width of an element, times those of a vector."""
    width = _WIDTH.search(opcode)
    bits = int(width[1]) * (2 if width[2] else 1) if width else 0
    vector = re.search(r"\.v(\d)\b", opcode)
    return bits * (int(vector[1]) if vector else 1)
