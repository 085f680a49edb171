"""Calls: intrinsics by name, and lines of inline assembly.

A row of the table takes the block and the arguments' arrays; what it returns is the result. Lanes
of a warp exchange values with one another here, so these rows check that the warp is whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from weft.errors import CodegenError
from weft.simulator.amd_matrix import AMD_MATRIX, amd_matrix
from weft.simulator.assembly import compile_assembly
from weft.simulator.buffers import BUFFER, buffer_access
from weft.simulator.matrices import NAME, load_matrices, store_matrices
from weft.simulator.state import Block, Operand, Step, constant
from weft.simulator.text import Instruction, split_arguments
from weft.simulator.transposed import load_transposed, transposing_tile
from weft.simulator.types import parse_type

__all__ = ["compile_call"]

_CALL = re.compile(r"^(.*?) ?@([\w.]+)\((.*)\)$")
Row = Callable[..., Any]
_AXES = "xyz"


def _thread(block: Block) -> np.ndarray:
    return np.arange(block.threads, dtype=np.int32)


def _scalar(number: int) -> np.ndarray:
    return np.full(1, number, np.int32)


def _of_lane(block: Block, values: np.ndarray, source: np.ndarray, what: str) -> np.ndarray:
    """Return the value of another lane of the warp, given by its number in the warp."""
    whole = block.mask.reshape(-1, min(block.lanes, block.threads))
    if (whole.any(axis=1) & ~whole.all(axis=1)).any():
        raise CodegenError(
            f"{what} while some lanes of the warp are elsewhere",
            found=f"{int(block.mask.sum())} of {block.threads} threads",
        )
    thread = _thread(block)
    place = thread // block.lanes * block.lanes + source % block.lanes
    return np.broadcast_to(values, block.threads)[place]


def _shuffle_xor(block: Block, members: Any, value: Any, lanes: Any, clamp: Any) -> np.ndarray:
    return _of_lane(block, value, (_thread(block) % block.lanes) ^ lanes, "shfl.sync")


def _shuffle_index(block: Block, members: Any, value: Any, lane: Any, clamp: Any) -> np.ndarray:
    return _of_lane(block, value, np.broadcast_to(lane, block.threads), "shfl.sync")


def _permute(block: Block, place: np.ndarray, value: np.ndarray) -> np.ndarray:
    return _of_lane(block, value, np.broadcast_to(place, block.threads) >> 2, "ds_bpermute")


def _lanes_below(block: Block, start: np.ndarray, first: int) -> np.ndarray:
    """Count the lanes with lower numbers among the 32 from `first`, on top of a count."""
    below = np.clip(_thread(block) % block.lanes - first, 0, 32)
    return (below + start).astype(np.int32)


def _quiet(function: Callable[..., np.ndarray]) -> Row:
    def run(block: Block, *values: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            return function(*values)

    return run


def _nan_aware(function: Callable[..., np.ndarray]) -> Row:
    return _quiet(lambda a, b: function(a, b).astype(a.dtype))


def _unsigned_extreme(function: Callable[..., np.ndarray]) -> Row:
    def run(block: Block, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        kind = f"u{a.dtype.itemsize}"
        return function(a.view(kind), b.view(kind)).view(a.dtype)

    return run


_ROWS: dict[str, Row] = {
    "llvm.nvvm.read.ptx.sreg.tid.x": _thread,
    "llvm.amdgcn.workitem.id.x": _thread,
    **{
        name.format(axis): (lambda block, n=n: _scalar(block.place[n]))
        for n, axis in enumerate(_AXES)
        for name in ("llvm.nvvm.read.ptx.sreg.ctaid.{}", "llvm.amdgcn.workgroup.id.{}")
    },
    **{
        f"llvm.nvvm.read.ptx.sreg.nctaid.{axis}": (lambda block, n=n: _scalar(block.grid[n]))
        for n, axis in enumerate(_AXES)
    },
    "llvm.nvvm.shfl.sync.bfly.i32": _shuffle_xor,
    "llvm.nvvm.shfl.sync.idx.i32": _shuffle_index,
    "llvm.amdgcn.ds.bpermute": _permute,
    "llvm.amdgcn.mbcnt.lo": lambda block, mask, start: _lanes_below(block, start, 0),
    "llvm.amdgcn.mbcnt.hi": lambda block, mask, start: _lanes_below(block, start, 32),
    "llvm.nvvm.ex2.approx.ftz.f": _quiet(np.exp2),
    "llvm.nvvm.ex2.approx.f": _quiet(np.exp2),
    "llvm.amdgcn.exp2.f32": _quiet(np.exp2),
    "llvm.nvvm.sqrt.approx.ftz.f": _quiet(np.sqrt),
    "llvm.amdgcn.sqrt.f32": _quiet(np.sqrt),
    "llvm.nvvm.rsqrt.approx.ftz.f": _quiet(lambda x: 1 / np.sqrt(x)),
    "llvm.amdgcn.rsq.f32": _quiet(lambda x: 1 / np.sqrt(x)),
    "llvm.nvvm.div.full": _quiet(np.divide),
    "llvm.amdgcn.make.buffer.rsrc.p8.p1": lambda block, base, stride, records, flags: base,
    "llvm.assume": lambda block, condition: None,
}
_BY_STEM: dict[str, Row] = {
    "smin": lambda block, a, b: np.minimum(a, b),
    "smax": lambda block, a, b: np.maximum(a, b),
    "umin": _unsigned_extreme(np.minimum),
    "umax": _unsigned_extreme(np.maximum),
    "maxnum": _nan_aware(np.fmax),
    "minnum": _nan_aware(np.fmin),
    "maximum": _nan_aware(np.maximum),
    "minimum": _nan_aware(np.minimum),
    "fabs": _quiet(np.abs),
    "floor": _quiet(np.floor),
    "ceil": _quiet(np.ceil),
    "trunc": _quiet(np.trunc),
    "roundeven": _quiet(np.rint),
    "round": _quiet(lambda x: (np.sign(x) * np.floor(np.abs(x) + 0.5)).astype(x.dtype)),
    "sqrt": _quiet(np.sqrt),
    "exp2": _quiet(np.exp2),
    "log": _quiet(np.log),
    "log2": _quiet(np.log2),
    "abs": lambda block, x, poison: np.abs(x),
    "fma": _quiet(lambda a, b, c: (a.astype(np.float64) * b + c).astype(a.dtype)),
}


def _row(name: str) -> Row:
    found = _ROWS.get(name)
    if found is None and name.startswith("llvm."):
        found = _BY_STEM.get(name.removeprefix("llvm.").rpartition(".")[0])
    if found is None:
        raise CodegenError(f"the simulator has no {name}", found=name)
    return found


def compile_call(one: Instruction) -> Step:
    """Return a call as a step.

    Raises: CodegenError: nobody knows the callee.
    """
    if " asm " in one.rest:
        return compile_assembly(one)
    found = _CALL.match(one.rest)
    if found is None:
        raise CodegenError("not a call that the simulator reads", found=one.rest)
    arguments = []
    for part in split_arguments(found[3]):
        type_, text = parse_type(part)
        arguments.append(constant(text, type_))
    if (matrices := NAME.fullmatch(found[2])) is not None:
        return _matrices(one, matrices, arguments)
    if (product := AMD_MATRIX.fullmatch(found[2])) is not None:
        return amd_matrix(one, product, arguments)
    if (tile := transposing_tile(found[2])) is not None:
        return load_transposed(one, tile, arguments)
    if (access := BUFFER.fullmatch(found[2])) is not None:
        return buffer_access(one, access, arguments)
    row = _row(found[2])

    def step(block: Block) -> None:
        value = row(block, *(block.get(argument) for argument in arguments))
        if one.result:
            block.set(one.result, value)

    return step


def _matrices(one: Instruction, name: re.Match[str], arguments: list[Operand]) -> Step:
    """Return ldmatrix or stmatrix as a step."""
    count, trans = int(name[2]), name[3] is not None

    def load(block: Block) -> None:
        found = load_matrices(block, block.get(arguments[0]), count, trans)
        if count == 1:
            block.set(one.result, found[0])
        else:
            block.set_members(one.result, found)

    def store(block: Block) -> None:
        words = tuple(block.get(word) for word in arguments[1:])
        store_matrices(block, block.get(arguments[0]), words, trans)

    return load if name[1] == "ld" else store
