"""Convert TTIR to TTGIR: give every tensor a layout.

Before:  %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
         %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
After:   %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
         %1 = ttg.convert_layout %0 : … -> tensor<128xi32, #ttg.slice<{dim = 1, …}>>
         %2 = tt.expand_dims %1 {axis = 1 : i32} : … -> tensor<128x1xi32, #blocked1>

Every tensor type gets the default layout of its shape (`weft.layouts.default_blocked`). Operations
that relate the layouts of operands and results have a conversion rule: `shape`, `reduction`, `dot`
and `descriptor`. Operations on tensors that fold to a constant or an operand are removed. The
options become attributes of the module.

The conversion is partial. Tensors that have a layout keep it, and operations whose tensors all have
one do not change. Operations of other dialects stay as they are; what TTIR takes from them is
converted by ttg.convert_layout. With `enable_source_remat`, what they take from TTIR is cast back
to a tensor without layout, which relayout-tritongpu then resolves:

    ttg.local_store %x, %m : tensor<8xf32> → …   with a layout on %x:
    %y = builtin.unrealized_conversion_cast %x : tensor<8xf32, #blocked> to tensor<8xf32>
    ttg.local_store %y, %m : tensor<8xf32> → …

A partition of a warp-specialized kernel, which gets new layouts, is converted together with its
operations on buffers (`convert_with_buffers`).

Requires shapes that are powers of two. Preserves values, their order and source locations.
Source: Triton 3.7.1, lib/Conversion/TritonToTritonGPU, and its wheel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar

from msgspec import Struct

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
from weft.ir.rewriting import Builder, set_type, walk
from weft.layouts import DotOperandEncoding
from weft.passes.ledger import enabled
from weft.passes.ttir.convert_triton_to_tritongpu import buffers, descriptor, dot, reduction, shape
from weft.passes.ttir.convert_triton_to_tritongpu.conversion import (
    Conversion,
    located_error,
)
from weft.passes.ttir.convert_triton_to_tritongpu.decision_records import record_default_layouts
from weft.targets import target as find_target

__all__ = ["ConvertTritonToTritongpu"]

RULES: dict[type[Operation], Callable[[Operation, Conversion], None]] = {
    **shape.RULES,
    **reduction.RULES,
    **dot.RULES,
    **descriptor.RULES,
}

_DIALECTS = frozenset({"arith", "math", "scf", "cf", "ub", "tt"})
_NUM_WARPS = "ttg.num-warps"


class ConvertTritonToTritongpu(Struct, frozen=True):
    """Gives every tensor a layout for a launch on a target.

    Attributes:
        target: The target, such as "cuda:90" or "hip:gfx942".
        num_warps: The warps per CTA, a power of two.
        threads_per_warp: The threads per warp of the target.
        num_ctas: The CTAs per cluster, a power of two.
        enable_source_remat: Whether operations of other dialects take tensors of TTIR by a cast.
    """

    name: ClassVar[str] = "convert-triton-to-tritongpu"

    target: str
    num_warps: int = 4
    threads_per_warp: int = 32
    num_ctas: int = 1
    enable_source_remat: bool = False

    def run(self, module: ModuleOp) -> None:
        """Convert the module in place.

        Raises:
            PassError: An option is not supported, or an operation of another dialect takes a
                tensor of TTIR.
            UnknownTargetError: The target is unknown.
        """
        self._convert(module, has_buffers=False)

    def convert_with_buffers(self, module: ModuleOp) -> None:
        """Convert a module without layouts, and its operations on shared and tensor memory.

        Raises:
            PassError: An option is not supported.
            UnknownTargetError: The target is unknown.
        """
        self._convert(module, has_buffers=True)

    def _convert(self, module: ModuleOp, *, has_buffers: bool) -> None:
        self._check()
        legal_ops, laid_out = _find_layouts(module)
        conversion = Conversion(
            self.num_warps,
            self.threads_per_warp,
            self.num_ctas,
            _find_folds(module, legal_ops),
            legal_ops=legal_ops,
            laid_out=laid_out,
            has_buffers=has_buffers,
            casts_back=self.enable_source_remat,
        )
        for region in module.regions:
            _convert_region(region, conversion)
        conversion.finish()
        _order_uses(module)
        self._set_attributes(module)
        if enabled():
            record_default_layouts(self, module)

    def _check(self) -> None:
        target = find_target(self.target)
        for option in ("num_warps", "threads_per_warp", "num_ctas"):
            count = getattr(self, option)
            if count < 1 or count & (count - 1):
                raise PassError(
                    f"{self.name}: {option.replace('_', '-')} must be a power of two",
                    found=count,
                )
        if self.threads_per_warp != target.threads_per_warp:
            raise PassError(
                f"{self.name}: threads-per-warp must be that of {target}",
                found=self.threads_per_warp,
                accepted=[target.threads_per_warp],
            )

    def _set_attributes(self, module: ModuleOp) -> None:
        launch: dict[str, Attribute] = {
            "ttg.num-ctas": attributes.integer(self.num_ctas, types.i32),
            _NUM_WARPS: attributes.integer(self.num_warps, types.i32),
            "ttg.target": attributes.string(self.target),
            "ttg.threads-per-warp": attributes.integer(self.threads_per_warp, types.i32),
        }
        merged = {**module.attributes, **launch}
        module.attributes.clear()
        module.attributes.update(sorted(merged.items()))


def _convert_region(region: Region, conversion: Conversion) -> None:
    """Convert the blocks of a region in dominance order."""
    for block in _dominance_order(region):
        for argument in block.args:
            type_ = conversion.type_of(argument.type)
            if type_ != argument.type:
                set_type(argument, type_)
        op = block.first_op
        while op is not None:
            following = op.next_op
            _convert_op(op, conversion)
            op = following


def _dominance_order(region: Region) -> Iterator[Block]:
    """Yield the blocks of a region so that each follows the blocks that dominate it.

    This is a reverse post-order of the control flow graph.
    """
    first = region.blocks.first
    if first is None:
        return
    if first.next_block is None:
        yield first
        return
    visited: set[Block] = set()
    order: list[Block] = []
    for start in region.blocks:
        stack: list[tuple[Block, Iterator[Block]]] = []
        if start not in visited:
            visited.add(start)
            stack.append((start, _successors(start)))
        post_order: list[Block] = []
        while stack:
            block, successors = stack[-1]
            successor = next((b for b in successors if b not in visited), None)
            if successor is None:
                stack.pop()
                post_order.append(block)
            else:
                visited.add(successor)
                stack.append((successor, _successors(successor)))
        order += reversed(post_order)
    yield from order


def _successors(block: Block) -> Iterator[Block]:
    terminator = block.last_op
    return iter(terminator.successors if terminator is not None else ())


def _convert_op(op: Operation, conversion: Conversion) -> None:
    try:
        if _has_tensors(op) and op not in conversion.legal_ops:
            if op in conversion.folds:
                _replace_by_fold(op, conversion.folds[op], conversion)
                return
            _apply_rule(op, conversion)
    except LayoutError as layout_error:
        raise located_error(op, layout_error) from layout_error
    for region in op.regions:
        _convert_region(region, conversion)


def _order_uses(module: ModuleOp) -> None:
    """Make each operation on tensors the latest user of its operands, in program order.

    Triton creates these operations again. Later passes visit the users of a value from the latest
    one on, and remove-layout-conversions chooses layouts and places constants in this order.
    """
    for op in module.walk():
        if _has_tensors(op):
            op.operands = tuple(op.operands)


def _is_ttir(op: Operation) -> bool:
    return op.name.partition(".")[0] in _DIALECTS


def _has_tensors(op: Operation) -> bool:
    """Check whether the type of an operand or result changes, or a function's signature."""
    if isinstance(op, tt.FuncOp):
        return True
    return any(_changes(value.type) for value in (*op.operands, *op.results))


def _changes(type_: Attribute) -> bool:
    return types.is_tensor(type_) or (types.is_pointer(type_) and types.is_tensor(type_.pointee))


def _find_layouts(module: ModuleOp) -> tuple[set[Operation], set[SSAValue]]:
    """List the operations of TTIR that do not change, and the values that have a layout."""
    legal_ops: set[Operation] = set()
    laid_out: set[SSAValue] = set()
    for op in walk(module):
        values = [*op.results, *(arg for region in op.regions for arg in _arguments(region))]
        laid_out.update(value for value in values if types.encoding(value.type) is not None)
        tensors = [value for value in (*op.operands, *values) if types.is_tensor(value.type)]
        has_layouts = bool(tensors) and all(types.encoding(value.type) for value in tensors)
        if has_layouts and _is_ttir(op) and not _needs_operand_layouts(op):
            legal_ops.add(op)
    return legal_ops, laid_out


def _arguments(region: Region) -> Iterator[BlockArgument]:
    return (argument for block in region.blocks for argument in block.args)


def _needs_operand_layouts(op: Operation) -> bool:
    """Check for a dot whose operands have other layouts than those of dot operands."""
    return isinstance(op, tt.DotOp) and not all(
        isinstance(types.encoding(value.type), DotOperandEncoding) for value in (op.a, op.b)
    )


def _find_folds(
    module: ModuleOp, legal_ops: AbstractSet[Operation]
) -> dict[Operation, Sequence[object]]:
    """Fold the operations on tensors, without replacing them yet.

    Like in Triton, no fold depends on the result of another one.
    """
    folds: dict[Operation, Sequence[object]] = {}
    for op in walk(module):
        fold = FOLDS.get(type(op))
        if fold is None or op.regions or op in legal_ops:
            continue
        if not (_is_ttir(op) and _has_tensors(op)):
            continue
        folded = fold(op)
        while folded is IN_PLACE:
            folded = fold(op)
        if folded is not None:
            folds[op] = folded if isinstance(folded, tuple | list) else (folded,)
    return folds


def _replace_by_fold(op: Operation, folded: Sequence[object], conversion: Conversion) -> None:
    """Replace the results of an operation by operands or new constants."""
    conversion.set_default_results(op)
    builder = Builder().before(op)
    values: list[SSAValue] = []
    for part, result in zip(folded, op.results, strict=True):
        if isinstance(part, OpResult):
            # Look the result up again: changing its type replaced the value.
            values.append(part.op.results[part.index])
            continue
        if isinstance(part, BlockArgument):
            values.append(part.block.args[part.index])
            continue
        assert isinstance(part, Attribute), "a fold returns values or attributes"
        constant = builder.create(arith.ConstantOp, (), (result.type,), {"value": part})
        conversion.retype_constant(constant)
        values.append(constant.results[0])
    conversion.replace_later(op, values)


def _apply_rule(op: Operation, conversion: Conversion) -> None:
    rule = RULES.get(type(op))
    if rule is not None:
        rule(op, conversion)
        return
    if not _is_ttir(op):
        if conversion.has_buffers:
            buffers.convert(op, conversion)
        else:
            conversion.cast_operands_back(op)
        return
    conversion.set_default_operands(op)
    conversion.set_default_results(op)
    if isinstance(op, arith.ConstantOp):
        conversion.retype_constant(op)
    elif isinstance(op, tt.FuncOp):
        function_type = conversion.type_of(op.function_type)
        op.properties["function_type"] = function_type
