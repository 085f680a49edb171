"""Find the bytes that a launch moves: which tensors it reads and writes, and how often.

    cross entropy, a row of 32 KiB per program, in two loops, 8192 programs:
    x: 256 MiB read twice, of which 256 MiB from memory at least, and 256 MiB written

A tensor that is read several times comes from L2 the second time if L2 keeps it until then: the
programs that run at once use a share of each tensor, in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from weft.explain.active_lanes import ActiveLanes
from weft.explain.counts import OperationCount, count
from weft.explain.loop_iterations import LoopIterations, argument_name
from weft.ir import scf, tt
from weft.ir.rewriting import ancestors, defining_op
from weft.lowering_plans.instruction import Instruction

__all__ = [
    "SECTOR_BYTES",
    "TRAFFIC",
    "TensorTraffic",
    "find_global_traffic",
    "writes_memory",
]

SECTOR_BYTES = 32
TRAFFIC = ("global load", "global store", "global atomic", "async copy", "tile copy")
"""Kinds of instructions that access global memory."""


@dataclass(frozen=True, slots=True)
class TensorTraffic:
    """The bytes of a tensor that a program moves.

    Attributes:
        tensor: Name of the argument, "" if it is not known.
        size: Bytes of the tensor, None if they are not known.
        loaded: Bytes that the program loads, each as often as it does.
        stored: Bytes that it stores.
    """

    tensor: str
    size: int | None
    loaded: float
    stored: float


def writes_memory(one: OperationCount, instruction: Instruction) -> bool:
    """Check whether an instruction writes global memory; an atomic update counts as a store."""
    return (
        instruction.kind in ("global store", "global atomic")
        or (instruction.kind == "tile copy" and instruction.name == "store")
        or one.op == "amdg.async_copy_local_to_global"
    )


def find_global_traffic(
    module: ModuleOp,
    numbers: Mapping[str, int],
    tensors: Mapping[str, int],
    grid: tuple[int, int, int],
) -> tuple[TensorTraffic, ...]:
    """Find the traffic of a typical program of a launch.

    Args:
        module: The kernel with layouts, final TTGIR as a rule.
        numbers: The integer arguments by name.
        tensors: The bytes of the tensors among the arguments, by name.
        grid: The programs along x, y and z.

    Raises:
        UnknownTargetError: The module is for a target that weft does not know.
    """
    iterations, active = LoopIterations(numbers), ActiveLanes(numbers, grid)
    loaded: dict[str, float] = {}
    stored: dict[str, float] = {}
    for one, instruction in _accesses(module):
        name = _argument(one.source.operands[0]) if one.source.operands else ""
        times = iterations.around(one.source) * active.share(one.source)
        totals = stored if writes_memory(one, instruction) else loaded
        bytes_ = SECTOR_BYTES * instruction.distinct_sectors * times
        totals[name] = totals.get(name, 0.0) + bytes_
    return tuple(
        TensorTraffic(name, tensors.get(name), loaded.get(name, 0.0), stored.get(name, 0.0))
        for name in dict.fromkeys((*loaded, *stored))
    )


def _accesses(module: ModuleOp) -> Iterator[tuple[OperationCount, Instruction]]:
    names = [argument_name(each) for each in _arguments(module)]
    for one in count(module).operations:
        _name_arguments(one.source, names)
        for instruction in one.instructions:
            if instruction.kind in TRAFFIC:
                yield one, instruction


def _arguments(module: ModuleOp) -> Sequence[BlockArgument]:
    """List the arguments of a module's kernel."""
    functions = (op for op in module.body.ops if isinstance(op, tt.FuncOp) and op.is_public)
    function = next(functions, None)
    return () if function is None else function.entry.args


def _name_arguments(op: Operation, names: Sequence[str]) -> None:
    """Name the arguments of the function around an operation, which a copy has without names."""
    function = next((each for each in ancestors(op) if isinstance(each, tt.FuncOp)), None)
    if function is None or not function.is_public:
        return
    for argument, name in zip(function.entry.args, names, strict=True):
        if name and not argument_name(argument):
            argument.name_hint = name


def _argument(value: SSAValue) -> str:
    """Find the argument that an address is computed from, "" if it is not known.

    The first operand of an operation on pointers is the pointer.
    """
    visited: set[SSAValue] = set()
    while value not in visited:
        visited.add(value)
        op = defining_op(value)
        if op is not None:
            if not op.operands or isinstance(op, scf.ForOp | tt.LoadOp):
                return ""
            value = op.operands[0]
        elif isinstance(value, BlockArgument):
            parent = value.owner.parent_op()
            if isinstance(parent, tt.FuncOp):
                return argument_name(value)
            if not isinstance(parent, scf.ForOp) or value not in parent.iter_args:
                return ""
            value = parent.init_args[parent.iter_args.index(value)]
    return ""
