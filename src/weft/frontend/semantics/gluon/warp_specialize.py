"""gl.warp_specialize: functions that run side by side, each in its own warps.

    warp_specialize([(f, (x,)), (g, (p,))], [4])

    %0 = ttg.warp_specialize(%p)
    default { … ttg.warp_yield %r }
    partition0(%arg0) num_warps(4) { … ttg.warp_return }

A partition's functions are lowered for its number of warps, which is part of their symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weft.errors import CompilationError
from weft.frontend import static_values
from weft.frontend.semantics.gluon import arguments
from weft.frontend.semantics.gluon.arguments import require
from weft.frontend.semantics.gluon.emitter import GluonEmitter
from weft.frontend.semantics.values import TupleValue, Value, describe, handles_of
from weft.ir import attributes, ttg
from weft.ir.builtin import Attribute, Block, Region
from weft.language.kernel_function import KernelFunction

_Call = tuple[KernelFunction, tuple[Value, ...]]


def warp_specialize(
    e: GluonEmitter, functions_and_args: Value, worker_num_warps: Value, worker_num_regs: Value
) -> Value:
    """Emit ttg.warp_specialize."""
    default, *workers = _calls(functions_and_args)
    warps = _counts("worker_num_warps", worker_num_warps)
    require(
        len(warps) == len(workers),
        f"warp specialize got {len(workers)} partitions but {len(warps)} warp counts",
    )
    registers = None
    if static_values.to_python(worker_num_regs) is not None:
        registers = _counts("worker_num_regs", worker_num_regs)
        require(
            len(registers) == len(workers),
            f"warp specialize got {len(workers)} partitions but {len(registers)} register counts",
        )
    block, result = _default_partition(e, default)
    captures = [handle for _, args in workers for value in args for handle in handles_of(value)]
    results = [handle.type for handle in handles_of(result)]
    properties: dict[str, Attribute] = {"partitionNumWarps": attributes.array_i32(warps)}
    if registers is not None:
        properties["requestedRegisters"] = attributes.array_i32(registers)
    partitions = Block()
    place, location = e.builder.place, e.builder.location
    e.builder.at_end(partitions)
    regions = [
        _worker_partition(e, worker, count, [capture.type for capture in captures], first)
        for worker, count, first in zip(workers, warps, _offsets(workers), strict=True)
    ]
    e.builder.at_end(partitions)
    e.builder.location = location
    e.builder.create(ttg.WarpSpecializePartitionsOp, captures, regions=regions)
    e.builder.restore(place)
    e.builder.location = location
    op = e.builder.create(
        ttg.WarpSpecializeOp,
        [],
        results,
        properties,
        regions=[Region(block), Region(partitions)],
    )
    return static_values.with_handles(result, iter(op.results))


def _calls(functions_and_args: Value) -> list[_Call]:
    pairs = functions_and_args.items if isinstance(functions_and_args, TupleValue) else ()
    calls: list[_Call] = []
    for pair in pairs:
        members = pair.items if isinstance(pair, TupleValue) else ()
        function, args = members if len(members) == 2 else (None, None)
        if not isinstance(function, KernelFunction):
            raise CompilationError(
                "expected pairs of a function and the tuple of its arguments",
                found=describe(pair),
                accepted=("(function, (argument, …))",),
            )
        if not isinstance(args, TupleValue):
            raise CompilationError(
                f"function arguments must be a tuple of arguments, but got {describe(args)}",
                found=describe(args),
                accepted=("(argument,)",),
            )
        calls.append((function, args.items))
    if not calls:
        raise CompilationError(
            "expected at least one function for the default partition",
            found=describe(functions_and_args),
        )
    return calls


def _counts(name: str, values: Value) -> tuple[int, ...]:
    return arguments.integers(name, static_values.to_python(values))


def _offsets(workers: Sequence[_Call]) -> list[int]:
    """List the index of each partition's first capture."""
    offsets, total = [], 0
    for _, args in workers:
        offsets.append(total)
        total += sum(len(handles_of(value)) for value in args)
    return offsets


def _default_partition(e: GluonEmitter, call: _Call) -> tuple[Block, Value]:
    function, args = call
    place, location = e.builder.place, e.builder.location
    block = Block()
    e.builder.at_end(block)
    e.builder.location = location
    result = e.call_function(function, args)
    e.builder.create(ttg.WarpYieldOp, handles_of(result))
    e.builder.restore(place)
    e.builder.location = location
    return block, result


def _worker_partition(
    e: GluonEmitter, call: _Call, warps: int, captures: Sequence[Attribute], first: int
) -> Region:
    function, args = call
    block = Block(arg_types=captures)
    location = e.builder.location
    handles = iter(block.args[first:])
    values = [static_values.with_handles(value, handles) for value in args]
    outer, e.partition_warps = e.partition_warps, warps
    try:
        e.builder.at_end(block)
        e.builder.location = location
        e.call_function(function, values)
        e.builder.create(ttg.WarpReturnOp)
    finally:
        e.partition_warps = outer
    e.builder.location = location
    return Region(block)


TABLE: dict[str, Callable[..., object]] = {"warp_specialize": warp_specialize}
