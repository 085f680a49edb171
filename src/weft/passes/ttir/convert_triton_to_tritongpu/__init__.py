"""Turn tensor IR into GPU IR: every tensor gets a layout, with conversions where layouts differ.

    Before:  %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
             %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    After:   %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
             %1 = ttg.convert_layout %0 : … -> tensor<128xi32, #ttg.slice<{dim = 1, …}>>
             %2 = tt.expand_dims %1 {axis = 1 : i32} : … -> tensor<128x1xi32, #blocked1>

Every type gets the default layout of its shape (`weft.layouts.default_blocked`). Operations whose
layouts hang together otherwise have a rule, one file per family: `shape`, `reduction`, `dot`,
`descriptor`. An operation on tensors that folds to a constant or to an operand goes away.
The launch goes into the module's attributes.

Needs: IR without layouts, shapes that are powers of two.  Keeps: values, order, source locations.
Source: measured on Triton 3.7.1 (`convert-triton-to-tritongpu`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.rewriter import Rewriter

from weft.errors import LayoutError, PassError
from weft.ir import arith, attributes, tt, types
from weft.ir.builtin import (
    Attribute,
    Block,
    BlockArgument,
    ModuleOp,
    Operation,
    OpResult,
    Region,
    SSAValue,
)
from weft.ir.folding import IN_PLACE
from weft.ir.folds import FOLDS
from weft.ir.rewriting import Builder, walk
from weft.passes.ledger import enabled
from weft.passes.ttir.convert_triton_to_tritongpu import descriptor, dot, reduction, shape
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import Conversion, at, error
from weft.passes.ttir.convert_triton_to_tritongpu.report import record_first_layouts
from weft.targets import target as find_target

__all__ = ["ConvertTritonToTritongpu"]

RULES: dict[type[Operation], Callable[[Operation, Conversion], None]] = {
    **shape.RULES,
    **reduction.RULES,
    **dot.RULES,
    **descriptor.RULES,
}

_DIALECTS = frozenset({"arith", "math", "scf", "cf", "ub", "tt"})
_LAUNCH = "ttg.num-warps"


@dataclass(frozen=True, slots=True)
class ConvertTritonToTritongpu:
    """Give every tensor a layout for a launch on a target.

    Options: target: such as "cuda:90" or "hip:gfx942".  num_warps, threads_per_warp, num_ctas:
    of the launch, powers of two.  enable_source_remat: accepted for Triton's sake; values have
    no unconverted uses here that would have to be computed again.
    Raises: PassError, UnknownTargetError.
    """

    name: ClassVar[str] = "convert-triton-to-tritongpu"

    target: str
    num_warps: int = 4
    threads_per_warp: int = 32
    num_ctas: int = 1
    enable_source_remat: bool = False

    def run(self, module: ModuleOp) -> None:
        """Convert the module in place."""
        self._check()
        if _LAUNCH in module.attributes:
            raise PassError(
                f"{self.name}: the module has layouts already",
                found=f"{_LAUNCH} = {attributes.number(module.attributes[_LAUNCH])}",
                accepted=["a module of Triton's tensor IR, without launch attributes"],
            )
        conversion = Conversion(
            self.num_warps, self.threads_per_warp, self.num_ctas, _folds(module)
        )
        for region in module.regions:
            _convert_region(region, conversion)
        conversion.finish()
        self._mark(module)
        if enabled():
            record_first_layouts(self, module)

    def _check(self) -> None:
        chip = find_target(self.target)
        for option in ("num_warps", "threads_per_warp", "num_ctas"):
            count = getattr(self, option)
            if count < 1 or count & (count - 1):
                raise PassError(
                    f"{self.name}: {option.replace('_', '-')} must be a power of two",
                    found=count,
                )
        if self.threads_per_warp != chip.threads_per_warp:
            raise PassError(
                f"{self.name}: threads-per-warp must be that of {chip}",
                found=self.threads_per_warp,
                accepted=[chip.threads_per_warp],
            )

    def _mark(self, module: ModuleOp) -> None:
        marks: dict[str, Attribute] = {
            "ttg.num-ctas": attributes.integer(self.num_ctas, types.i32),
            _LAUNCH: attributes.integer(self.num_warps, types.i32),
            "ttg.target": attributes.string(self.target),
            "ttg.threads-per-warp": attributes.integer(self.threads_per_warp, types.i32),
        }
        merged = {**module.attributes, **marks}
        module.attributes.clear()
        module.attributes.update(sorted(merged.items()))


def _convert_region(region: Region, conversion: Conversion) -> None:
    """Convert the blocks, each after those that it can be reached through."""
    for block in _in_order(region):
        for argument in block.args:
            type_ = conversion.type_of(argument.type)
            if type_ != argument.type:
                Rewriter.replace_value_with_new_type(argument, type_)
        op = block.first_op
        while op is not None:
            following = op.next_op
            _convert_op(op, conversion)
            op = following


def _in_order(region: Region) -> Iterator[Block]:
    """Yield the blocks so that what dominates a block comes before it."""
    first = region.blocks.first
    if first is None:
        return
    if first.next_block is None:
        yield first
        return
    done: set[Block] = set()
    finished: list[Block] = []
    for start in region.blocks:
        stack: list[tuple[Block, Iterator[Block]]] = []
        if start not in done:
            done.add(start)
            stack.append((start, _successors(start)))
        reached: list[Block] = []
        while stack:
            block, rest = stack[-1]
            target = next((b for b in rest if b not in done), None)
            if target is None:
                stack.pop()
                reached.append(block)
            else:
                done.add(target)
                stack.append((target, _successors(target)))
        finished += reversed(reached)
    yield from finished


def _successors(block: Block) -> Iterator[Block]:
    last = block.last_op
    return iter(last.successors if last is not None else ())


def _convert_op(op: Operation, conversion: Conversion) -> None:
    try:
        if _holds_tensors(op):
            _refuse_layouts(op)
            if op in conversion.folds:
                _drop(op, conversion.folds[op], conversion)
                return
            _apply(op, conversion)
    except LayoutError as problem:
        raise at(op, problem) from problem
    for region in op.regions:
        _convert_region(region, conversion)


def _holds_tensors(op: Operation) -> bool:
    """Return whether a type in the operation changes, regions aside."""
    if isinstance(op, tt.FuncOp):
        return True
    return any(_changes(value.type) for value in (*op.operands, *op.results))


def _changes(type_: Attribute) -> bool:
    return types.is_tensor(type_) or (types.is_pointer(type_) and types.is_tensor(type_.pointee))


def _refuse_layouts(op: Operation) -> None:
    """Raise PassError where a result came with a layout."""
    for result in op.results:
        if types.encoding(result.type) is not None:
            raise error(op, "a tensor has a layout already", found=result.type)


def _folds(module: ModuleOp) -> dict[Operation, Sequence[object]]:
    """Return what the operations on tensors fold to, each looked at as it came.

    Nothing is replaced yet, so that one fold never sees what another one has found.
    """
    found: dict[Operation, Sequence[object]] = {}
    for op in walk(module):
        fold = FOLDS.get(type(op))
        if fold is None or op.regions or not _holds_tensors(op):
            continue
        folded = fold(op)
        while folded is IN_PLACE:
            folded = fold(op)
        if folded is not None:
            found[op] = folded if isinstance(folded, tuple | list) else (folded,)
    return found


def _drop(op: Operation, folded: Sequence[object], conversion: Conversion) -> None:
    """Let operands, or new constants, stand for the results of an operation."""
    conversion.default_results(op)
    builder = Builder().before(op)
    values: list[SSAValue] = []
    for part, result in zip(folded, op.results, strict=True):
        if isinstance(part, OpResult):
            values.append(part.op.results[part.index])  # its type may have changed since
            continue
        if isinstance(part, BlockArgument):
            values.append(part.block.args[part.index])
            continue
        assert isinstance(part, Attribute), "a fold gives a value or a constant"
        constant = builder.create(arith.ConstantOp, (), (result.type,), {"value": part})
        conversion.retype_constant(constant)
        values.append(constant.results[0])
    conversion.drop(op, values)


def _apply(op: Operation, conversion: Conversion) -> None:
    rule = RULES.get(type(op))
    if rule is not None:
        rule(op, conversion)
        return
    if op.name.partition(".")[0] not in _DIALECTS:
        raise error(op, "no operation of Triton's tensor IR", accepted=sorted(_DIALECTS))
    conversion.take_defaults(op)
    conversion.default_results(op)
    if isinstance(op, arith.ConstantOp):
        conversion.retype_constant(op)
    elif isinstance(op, tt.FuncOp):
        function_type = conversion.type_of(op.function_type)
        op.properties["function_type"] = function_type
