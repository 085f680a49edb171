"""Atomic updates of memory: instructions, lines of PTX, and AMD's buffer instructions.

Threads of one instruction that name one address act one after the other, in the order of their
numbers; each finds what the one before it left. Updates of vectors update each element.

    atomicrmw fadd ptr addrspace(1) %p, float %x syncscope("agent") monotonic, align 4
    @$3 atom.acq_rel.gpu.global.add.f32 $0, [$2], $4;
    llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(%x, resource, offset, 0, 0)
"""

from __future__ import annotations

import re
from collections.abc import Callable

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Operand, Step, constant
from weft.simulator.llvm_ir.parser import Instruction, split_arguments
from weft.simulator.llvm_ir.types import Type, dtype_of, parse_type
from weft.simulator.memory.buffer import within
from weft.simulator.memory.memory import Memory
from weft.simulator.registry import Call, assembly, intrinsic

__all__ = ["compile_update", "update"]

Combine = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _unsigned(function: np.ufunc) -> Combine:
    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        kind = f"u{a.dtype.itemsize}"
        return function(a.view(kind), b.view(kind)).view(a.dtype)

    return run


_COMBINE: dict[str, Combine] = {
    "add": np.add,
    "fadd": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "max": np.maximum,
    "smax": np.maximum,
    "min": np.minimum,
    "smin": np.minimum,
    "umax": _unsigned(np.maximum),
    "umin": _unsigned(np.minimum),
    "xchg": lambda old, new: new,
    "exch": lambda old, new: new,
    "swap": lambda old, new: new,
}


def update(
    memory: Memory,
    kind: np.dtype,
    addresses: np.ndarray,
    mask: np.ndarray,
    new: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Update one element per thread of a mask, and return what each found.

    Args: new: from what some threads find and their numbers to what they leave behind.
    """
    threads = np.flatnonzero(mask)
    memory.check("updates", addresses, kind.itemsize, mask)
    old = np.zeros(mask.size, kind)
    places = np.broadcast_to(addresses, mask.shape)[threads]
    if memory.races is not None:
        memory.races.update(places[:, None] + np.arange(kind.itemsize), threads)
    while threads.size:
        _, first = np.unique(places, return_index=True)
        where = places[first, None] + np.arange(kind.itemsize)
        found = np.ascontiguousarray(memory.bytes[where]).view(kind)[:, 0]
        now = threads[first]
        old[now] = found
        left = np.ascontiguousarray(new(found, now).astype(kind, copy=False))
        memory.bytes[where] = left.view(np.uint8).reshape(where.shape)
        rest = np.ones(threads.size, bool)
        rest[first] = False
        threads, places = threads[rest], places[rest]
    return old


def _combined(
    block: Block,
    memory: Memory,
    verb: str,
    address: np.ndarray,
    values: np.ndarray,
    mask: np.ndarray,
) -> np.ndarray:
    """Update a vector per thread, values being [thread, element]; return what was there."""
    columns = []
    whole = np.broadcast_to(values, (block.threads, values.shape[1]))
    combine = _COMBINE[verb]
    for n in range(values.shape[1]):
        column = np.ascontiguousarray(whole[:, n])

        def new(old: np.ndarray, threads: np.ndarray, column: np.ndarray = column) -> np.ndarray:
            with np.errstate(over="ignore"):
                return combine(old, column[threads])

        place = address + n * column.dtype.itemsize
        columns.append(update(memory, column.dtype, place, mask, new))
    return np.stack(columns, axis=1)


def _swapped(
    block: Block,
    memory: Memory,
    address: np.ndarray,
    expected: np.ndarray,
    values: np.ndarray,
    mask: np.ndarray,
) -> np.ndarray:
    wanted, given = (np.broadcast_to(one, block.threads) for one in (expected, values))
    return update(
        memory,
        given.dtype,
        address,
        mask,
        lambda old, threads: np.where(old == wanted[threads], given[threads], old),
    )


def _memory(block: Block, space: int) -> Memory:
    return block.shared if space == 3 else block.memory


def compile_update(one: Instruction) -> Step:
    """Return atomicrmw or cmpxchg as a step.

    Raises: CodegenError: an operation that nobody simulates.
    """
    text = one.rest
    verb = ""
    if one.word == "atomicrmw":
        verb, _, text = text.partition(" ")
        if verb not in _COMBINE:
            raise CodegenError(f"the simulator has no atomicrmw {verb}", accepted=_COMBINE)
    pointer, *given = split_arguments(text)
    space, where = parse_type(pointer)
    address = constant(where, space)
    operands: list[tuple[Operand, Type]] = []
    for part in given[: 1 if verb else 2]:
        type_, value = parse_type(part)
        operands.append((constant(value.split(" ")[0], type_), type_))

    def combine(block: Block) -> None:
        memory, (value, type_) = _memory(block, space.space), operands[0]
        memory.traffic.add("atomic", type_.bytes_each * max(1, type_.count), block.warps)
        values = block.get(value)
        columns = values if type_.count else values[:, None]
        old = _combined(block, memory, verb, block.get(address), columns, block.mask)
        if memory.races is not None and block.chip:
            memory.races.issue(block.mask)
        block.set(one.result, old if type_.count else old[:, 0])

    def swap(block: Block) -> None:
        memory = _memory(block, space.space)
        memory.traffic.add("atomic", operands[1][1].bytes_each, block.warps)
        expected, new = (block.get(value) for value, _ in operands)
        old = _swapped(block, memory, block.get(address), expected, new, block.mask)
        block.set_members(one.result, (old, old == np.broadcast_to(expected, block.threads)))

    return combine if verb else swap


_FLOATS = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}


_ORDER, _SCOPE = "(?:relaxed|acquire|release|acq_rel)", "(?:cta|gpu|sys)"


@assembly(
    rf"(?:@\$(?P<guard>\d+) )?atom\.{_ORDER}\.{_SCOPE}\.(?P<space>global|shared)"
    r"\.(?P<verb>add|and|or|xor|max|min|exch|cas)(?:\.noftz)?(?:\.v(?P<count>\d))?"
    r"\.(?P<kind>b?f|[bsu])(?P<bits>\d+)(?P<pair>x2)? "
    r"(?:\{[$\d, ]+\}|\$\d+), \[\$(?P<address>\d+)\], (?P<given>[{}$\d, ]+);"
)
def _atom(call: Call) -> Step:
    """Return a line of PTX as a step: words in, words out."""
    name = call.match
    guard = None if name["guard"] is None else call.numbered(name["guard"])
    pointer = call.numbered(name["address"])
    numbers = re.findall(r"\$(\d+)|(\d+)", name["given"])
    values = [
        call.numbered(number) if number else constant(literal, Type("i32"))
        for number, literal in numbers
    ]
    bits = int(name["bits"])
    kind = _FLOATS.get(f"{name['kind']}{bits}", np.dtype(f"i{bits // 8}"))
    unsigned = name["kind"] == "u" and name["verb"] in ("max", "min")
    verb = f"u{name['verb']}" if unsigned else name["verb"]

    def step(block: Block) -> None:
        memory = block.shared if name["space"] == "shared" else block.memory
        mask = block.mask
        if guard is not None:
            mask = mask & np.broadcast_to(block.get(guard), block.threads)
        words = [np.broadcast_to(block.get(value), block.threads) for value in values]
        size = len(words) * words[0].dtype.itemsize
        memory.traffic.add("atomic", size, block.warps)
        if verb == "cas":
            old = _swapped(block, memory, block.get(pointer), words[0], words[1], mask)
            block.set(call.result, old)
            return
        whole = np.ascontiguousarray(np.stack(words, axis=1))
        found = _combined(block, memory, verb, block.get(pointer), whole.view(kind), mask)
        back = np.ascontiguousarray(found).view(words[0].dtype)
        if back.shape[1] == 1:
            block.set(call.result, back[:, 0])
        else:
            block.set_members(call.result, tuple(back[:, n] for n in range(back.shape[1])))

    return step


@intrinsic(r"llvm\.amdgcn\.raw\.ptr\.buffer\.atomic\.(\w+)\.(?:v(\d)|)(\w+)")
def _buffer(call: Call) -> Step:
    """Return a buffer instruction as a step; lanes behind the buffer's end update nothing."""
    verb = call.match[1]
    if verb != "cmpswap" and verb not in _COMBINE:
        raise CodegenError(f"the simulator has no buffer atomic {verb}", accepted=_COMBINE)
    arguments = call.arguments
    type_ = call.operands[0][1]
    resource, offset, moved = arguments[2:5] if verb == "cmpswap" else arguments[1:4]
    size = type_.bytes_each * max(1, type_.count)

    def step(block: Block) -> None:
        address, mask = within(block, resource, offset, size, moved)
        block.memory.traffic.add("atomic", size, block.warps)
        values = block.get(arguments[0])
        if verb == "cmpswap":
            expected = block.get(arguments[1])
            old = _swapped(block, block.memory, address, expected, values, mask)
        else:
            columns = values if type_.count else values[:, None]
            old = _combined(block, block.memory, verb, address, columns, mask)
            old = old if type_.count else old[:, 0]
        block.set(call.result, old.astype(dtype_of(type_), copy=False))

    return step
