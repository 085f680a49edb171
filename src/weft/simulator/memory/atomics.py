"""Atomic updates of memory: LLVM instructions, lines of PTX, and AMD's buffer instructions.

Threads of one instruction that update the same address do so in the order of their numbers; each
reads what the one before it wrote. Updates of vectors update each element on its own.

    atomicrmw fadd ptr addrspace(1) %p, float %x syncscope("agent") monotonic, align 4
    @$3 atom.global.gpu.acq_rel.add.f32 $0, [$2], $4;
    llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(%x, resource, offset, 0, 0)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import ml_dtypes
import numpy as np

from weft.errors import CodegenError
from weft.simulator.block import Block, Step
from weft.simulator.llvm_ir.operands import parse_operand
from weft.simulator.llvm_ir.parser import Instruction, split_arguments
from weft.simulator.llvm_ir.types import Operand, Type, dtype_of, parse_type
from weft.simulator.memory.buffer import buffer_addresses
from weft.simulator.memory.memory import Memory
from weft.simulator.registry import Call, assembly, intrinsic

__all__ = ["compile_atomic"]

Combine: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]
_SHARED_SPACE = 3


def _unsigned(function: np.ufunc) -> Combine:
    def run(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        dtype = f"u{a.dtype.itemsize}"
        return function(a.view(dtype), b.view(dtype)).view(a.dtype)

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


def _update(
    memory: Memory,
    dtype: np.dtype,
    addresses: np.ndarray,
    mask: np.ndarray,
    compute: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Update one element per thread.

    Args:
        memory: The memory.
        dtype: Type of the elements.
        addresses: Address per thread.
        mask: Threads that update.
        compute: From the old values of some threads, and the threads' numbers, to the new values.

    Returns:
        The old value of each thread, zero outside of the mask.
    """
    threads = np.flatnonzero(mask)
    memory.check("updates", addresses, dtype.itemsize, mask)
    old = np.zeros(mask.size, dtype)
    starts = np.broadcast_to(addresses, mask.shape)[threads]
    if memory.races is not None:
        memory.races.update(starts[:, None] + np.arange(dtype.itemsize), threads)
    # Each round updates every address once, by the lowest thread that remains.
    while threads.size:
        _, first = np.unique(starts, return_index=True)
        places = starts[first, None] + np.arange(dtype.itemsize)
        values = np.ascontiguousarray(memory.bytes[places]).view(dtype)[:, 0]
        updating = threads[first]
        old[updating] = values
        new = np.ascontiguousarray(compute(values, updating).astype(dtype, copy=False))
        memory.bytes[places] = new.view(np.uint8).reshape(places.shape)
        remaining = np.ones(threads.size, bool)
        remaining[first] = False
        threads, starts = threads[remaining], starts[remaining]
    return old


def _read_modify_write(
    block: Block,
    memory: Memory,
    operation: str,
    addresses: np.ndarray,
    values: np.ndarray,
    mask: np.ndarray,
) -> np.ndarray:
    """Update a vector per thread with values [thread, element]; returns the old vectors."""
    columns = []
    rows = np.broadcast_to(values, (block.threads, values.shape[1]))
    combine = _COMBINE[operation]
    for n in range(values.shape[1]):
        column = np.ascontiguousarray(rows[:, n])

        def compute(
            old: np.ndarray, threads: np.ndarray, column: np.ndarray = column
        ) -> np.ndarray:
            return combine(old, column[threads])

        elements = addresses + n * column.dtype.itemsize
        columns.append(_update(memory, column.dtype, elements, mask, compute))
    return np.stack(columns, axis=1)


def _compare_and_swap(
    block: Block,
    memory: Memory,
    addresses: np.ndarray,
    expected: np.ndarray,
    values: np.ndarray,
    mask: np.ndarray,
) -> np.ndarray:
    """Store a value where the old one is as expected; returns the old values."""
    compared, new = (np.broadcast_to(each, block.threads) for each in (expected, values))
    return _update(
        memory,
        new.dtype,
        addresses,
        mask,
        lambda old, threads: np.where(old == compared[threads], new[threads], old),
    )


def compile_atomic(instruction: Instruction) -> Step:
    """Compile atomicrmw or cmpxchg.

    Raises:
        CodegenError: The simulator does not support the operation.
    """
    text, operation = instruction.rest, ""
    if instruction.opcode == "atomicrmw":
        operation, _, text = text.partition(" ")
        if operation not in _COMBINE:
            raise CodegenError(
                f"the simulator does not support atomicrmw {operation}", accepted=_COMBINE
            )
    pointer_text, *parts = split_arguments(text)
    pointer_type, pointer_name = parse_type(pointer_text)
    pointer = parse_operand(pointer_name, pointer_type)
    operands: list[tuple[Operand, Type]] = []
    for part in parts[: 1 if operation else 2]:
        type_, value = parse_type(part)
        operands.append((parse_operand(value.split(" ")[0], type_), type_))
    operand, type_ = operands[-1]
    size = type_.size

    def combine(block: Block) -> None:
        memory = _memory(block, pointer_type)
        memory.traffic.add("atomic", size, block.active_warps)
        values, addresses = block.get(operand), block.get(pointer)
        _count(block, memory, size, addresses, block.active)
        columns = values if type_.count else values[:, None]
        old = _read_modify_write(block, memory, operation, addresses, columns, block.active)
        if memory.races is not None and block.launch.chip:
            memory.races.begin_stores(block.active)
        block.set(instruction.result, old if type_.count else old[:, 0])

    def swap(block: Block) -> None:
        memory = _memory(block, pointer_type)
        memory.traffic.add("atomic", size, block.active_warps)
        expected, new = (block.get(value) for value, _ in operands)
        _count(block, memory, size, block.get(pointer), block.active)
        old = _compare_and_swap(block, memory, block.get(pointer), expected, new, block.active)
        is_equal = old == np.broadcast_to(expected, block.threads)
        block.set_members(instruction.result, (old, is_equal))

    return combine if operation else swap


def _count(
    block: Block, memory: Memory, size: int, addresses: np.ndarray, mask: np.ndarray
) -> None:
    """Count an atomic update."""
    if memory is block.shared:
        block.count_shared("shared atomic", size, addresses, mask, writes=True)
    else:
        block.count_global("global atomic", size, addresses, mask)


def _memory(block: Block, pointer: Type) -> Memory:
    return block.shared if pointer.space == _SHARED_SPACE else block.global_memory


_FLOATS = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
# In the order of the PTX ISA, and in the order in which Triton writes them.
_QUALIFIER = "(?:relaxed|acquire|release|acq_rel|cta|gpu|sys)"


@assembly(
    rf"(?:@\$(?P<predicate>\d+) )?atom(?:\.{_QUALIFIER}){{0,2}}\.(?P<space>global|shared)"
    rf"(?:\.{_QUALIFIER}){{0,2}}"
    r"\.(?P<operation>add|and|or|xor|max|min|exch|cas)(?:\.noftz)?(?:\.v(?P<count>\d))?"
    r"\.(?P<kind>b?f|[bsu])(?P<bits>\d+)(?P<pair>x2)? "
    r"(?:\{[$\d, ]+\}|\$\d+), \[\$(?P<address>\d+)\], (?P<operands>[{}$\d, ]+);"
)
def _atom(call: Call) -> Step:
    """Compile a PTX atom, whose operands and results are registers."""
    match = call.match
    predicate = None if match["predicate"] is None else call.argument(match["predicate"])
    pointer = call.argument(match["address"])
    operands = [
        call.argument(number) if number else parse_operand(literal, Type("i32"))
        for number, literal in re.findall(r"\$(\d+)|(\d+)", match["operands"])
    ]
    bits = int(match["bits"])
    dtype = _FLOATS.get(f"{match['kind']}{bits}", np.dtype(f"i{bits // 8}"))
    is_unsigned = match["kind"] == "u" and match["operation"] in ("max", "min")
    operation = f"u{match['operation']}" if is_unsigned else match["operation"]

    def step(block: Block) -> None:
        memory = block.shared if match["space"] == "shared" else block.global_memory
        mask = block.active
        if predicate is not None:
            mask = mask & block.per_thread(predicate)
        words = [block.per_thread(operand) for operand in operands]
        size = len(words) * words[0].dtype.itemsize
        memory.traffic.add("atomic", size, block.active_warps)
        if operation == "cas":
            size //= 2  # the words are the expected and the new one
        addresses = block.get(pointer)
        _count(block, memory, size, addresses, mask)
        if operation == "cas":
            old = _compare_and_swap(block, memory, addresses, words[0], words[1], mask)
            block.set(call.result, old)
            return
        values = np.ascontiguousarray(np.stack(words, axis=1)).view(dtype)
        old = _read_modify_write(block, memory, operation, addresses, values, mask)
        registers = np.ascontiguousarray(old).view(words[0].dtype)
        block.set_registers(call.result, list(registers.T))

    return step


@intrinsic(r"llvm\.amdgcn\.raw\.ptr\.buffer\.atomic\.(\w+)\.(?:v(\d)|)(\w+)")
def _buffer_atomic(call: Call) -> Step:
    """Compile a buffer atomic; lanes with an offset outside of the buffer do nothing.

    Raises:
        CodegenError: The simulator does not support the operation.
    """
    operation = call.match[1]
    if operation != "cmpswap" and operation not in _COMBINE:
        raise CodegenError(
            f"the simulator does not support buffer atomic {operation}", accepted=_COMBINE
        )
    arguments = call.arguments
    type_ = call.operands[0][1]
    resource, offset, scalar = arguments[2:5] if operation == "cmpswap" else arguments[1:4]
    size = type_.size

    def step(block: Block) -> None:
        addresses, mask = buffer_addresses(block, resource, offset, size, scalar)
        memory = block.global_memory
        memory.traffic.add("atomic", size, block.active_warps)
        values = block.get(arguments[0])
        _count(block, memory, size, addresses, mask)
        if operation == "cmpswap":
            expected = block.get(arguments[1])
            old = _compare_and_swap(block, memory, addresses, expected, values, mask)
        else:
            columns = values if type_.count else values[:, None]
            old = _read_modify_write(block, memory, operation, addresses, columns, mask)
            old = old if type_.count else old[:, 0]
        block.set(call.result, old.astype(dtype_of(type_), copy=False))

    return step
