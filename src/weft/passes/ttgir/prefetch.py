"""Prefetch the first slices of dot operands for the next iteration during the current dot.

For a dot with K = 32 whose operands are in shared memory buffers that are iter_args of the loop:

Before:  scf.for … iter_args(%a = %a0, %b = %b0, …) {
           %x = ttg.local_load %a              64x32
           %d = tt.dot %x, %y, %acc
           scf.yield %a1, %b1, %d
After:   %p0 = ttg.local_load %a0[0:64, 0:16]  the first slice, before the loop
         scf.for … iter_args(%a = %a0, …, %p = %p0, %q = %q0) {
           %r = ttg.local_load %a[0:64, 16:32]
           %e = tt.dot %p, %q, %acc            of the prefetched slices
           %n = ttg.local_load %a1[0:64, 0:16] the first slice of the next iteration
           %d = tt.dot %r, %s, %e              issued last, so that it overlaps with the load
           scf.yield %a1, %b1, %d, %n, …

A leading dimension of batches is not sliced. A slice has twice the K of one instruction. Casts
between load and dot are done per slice. The pass rewrites loops with exactly one dot, of mma.sync
or MFMA. Like Triton, it drops the attributes of such a loop even if its operands do not allow
prefetching.

Preserves values. The original loads and dot become dead.
Source: measured on Triton 3.7.1 (`tritongpu-prefetch`).
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct
from xdsl.rewriter import Rewriter

from weft.ir import attributes, scf, tt, ttg, types
from weft.ir.builtin import Block, ModuleOp, Operation, OpResult, Region, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.rewriting import Builder, clone, locate_loop_arguments, replace
from weft.layouts import AmdMfmaEncoding, DotOperandEncoding, Encoding, NvidiaMmaEncoding
from weft.passes.common.canonicalize.convert_layout import PATTERNS
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily

__all__ = ["Prefetch"]

_SLICE_WIDTH_PER_K_WIDTH = 8
_SLICE_BITS = 256  # along K, of operands without kWidth


class Prefetch(Struct, frozen=True):
    """Splits the dots of loops along K and prefetches the first slice of their operands."""

    name: ClassVar[str] = "tritongpu-prefetch"

    def run(self, module: ModuleOp) -> None:
        """Rewrite loops in place."""
        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, PATTERNS, top_down=False))
        for loop in _loops_post_order(module):
            dot = _only_dot(loop)
            plan = None if dot is None else _plan(loop, dot)
            if dot is not None and plan is not None:
                _Rewrite(self, loop, plan, dot).run()
            elif dot is not None:
                # Triton creates a new loop here, too.
                loop.attributes.clear()
                locate_loop_arguments(loop.block, loop.init_args, loop.location)
        record_remaining_layouts(self, module, before, "the layout of the value that it replaces")


def _loops_post_order(module: ModuleOp) -> list[scf.ForOp]:
    """List the loops of a module, inner loops before outer ones."""
    loops: list[scf.ForOp] = []

    def visit(op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    if inner.regions:
                        visit(inner)
        if isinstance(op, scf.ForOp):
            loops.append(op)

    visit(module)
    return loops


def _only_dot(loop: scf.ForOp) -> tt.DotOp | None:
    """Find the only dot of a loop, if its instruction reads operands from registers."""
    dots = [op for op in loop.block.ops if isinstance(op, tt.DotOp)]
    if len(dots) != 1:
        return None
    encoding = types.encoding(dots[0].d.type)
    is_mma = isinstance(encoding, NvidiaMmaEncoding) and encoding.version_major == 2
    return dots[0] if is_mma or isinstance(encoding, AmdMfmaEncoding) else None


# ------------------------------------------------------------------------------------- analysis
class _Operand(Struct, frozen=True):
    """A dot operand that is loaded from a buffer that is an iter_arg.

    Attributes:
        index: 0 for a, 1 for b.
        iter_arg: The index of the iter_arg.
        casts: The elementwise operations between the load and the dot, in order.
    """

    index: int
    iter_arg: int
    casts: tuple[Operation, ...]


class _Plan(Struct, frozen=True):
    """What to prefetch.

    Attributes:
        operands: Both operands of the dot.
        width: The size of a slice along K.
    """

    operands: tuple[_Operand, _Operand]
    width: int


def _plan(loop: scf.ForOp, dot: tt.DotOp) -> _Plan | None:
    a, b = (_operand(loop, value, index) for index, value in enumerate((dot.a, dot.b)))
    encoding = types.encoding(dot.a.type)
    if a is None or b is None or not isinstance(encoding, DotOperandEncoding):
        return None
    width = _SLICE_WIDTH_PER_K_WIDTH * encoding.k_width
    if width == 0:
        width = _SLICE_BITS // types.bit_width(dot.a.type)
    return _Plan((a, b), width) if types.shape(dot.a.type)[-1] >= width else None


def _operand(loop: scf.ForOp, value: SSAValue, index: int) -> _Operand | None:
    """Match an operand that is loaded from an iter_arg, through casts with a single use."""
    casts: list[Operation] = []
    while isinstance(value, OpResult):
        op = value.op
        if len(op.operands) != 1 or len(tuple(op.results[0].uses)) != 1:
            return None
        value = op.operands[0]
        if isinstance(op, ttg.LocalLoadOp):
            if not isinstance(types.encoding(op.result.type), DotOperandEncoding):
                return None
            break
        casts.insert(0, op)
    if not isinstance(value.type, ttg.MemDescType):
        return None
    iter_arg = loop.iter_arg_index(value)
    return None if iter_arg is None else _Operand(index, iter_arg, tuple(casts))


# -------------------------------------------------------------------------------------- rewrite
class _Rewrite(Struct):
    """The rewrite of one loop.

    Attributes:
        by: The pass.
        old: The loop to replace.
        plan: What to prefetch.
        dot: The dot of the loop.
    """

    by: Prefetch
    old: scf.ForOp
    plan: _Plan
    dot: tt.DotOp

    def run(self) -> None:
        """Replace the loop."""
        builder = Builder().before(self.old)
        slices = [
            self._load_slice(operand, self.old.init_args[operand.iter_arg], 0, builder)
            for operand in self.plan.operands
        ]
        inits = [*self.old.init_args, *slices]
        block = Block(
            arg_types=[self.old.induction_variable.type, *(value.type for value in inits)]
        )
        new = builder.create(
            scf.ForOp,
            [*self.old.bounds, *inits],
            [value.type for value in inits],
            self.old.properties,
            regions=[Region(block)],
        )
        for old_arg, new_arg in zip(self.old.block.args, block.args, strict=False):
            old_arg.replace_all_uses_with(new_arg)
        locate_loop_arguments(block, inits, self.old.location)
        self._move_body(new)
        replace(self.old, new.results[: len(self.old.results)])

    def _move_body(self, new: scf.ForOp) -> None:
        """Move the body to the new loop, slice the dot, and prefetch for the next iteration."""
        builder = Builder().at_end(new.block)
        terminator = self.old.terminator
        result: SSAValue = self.dot.d
        for op in tuple(self.old.block.ops):
            if op is terminator:
                break
            # After the dot, the builder is before its last slice: independent operations go there,
            # users of the result go after it.
            if op.regions or any(value is result for value in op.operands):
                builder.at_end(new.block)
            op.detach()
            builder.insert(op)
            if op is self.dot:
                result = self._slice_dot(new, builder)
                self.dot.d.replace_all_uses_with(result)
        yielded = list(terminator.operands)
        builder.location = terminator.location
        yielded += [
            self._load_slice(operand, yielded[operand.iter_arg], 0, builder)
            for operand in self.plan.operands
        ]
        terminator.operands = yielded
        terminator.detach()
        builder.at_end(new.block).insert(terminator)

    def _slice_dot(self, new: scf.ForOp, builder: Builder) -> SSAValue:
        """Replace the dot by dots of slices; leave the builder before the last one."""
        a, b = self.plan.operands
        k, width = types.shape(self.dot.a.type)[-1], self.plan.width
        first_a, first_b = new.iter_args[-2:]
        last_dot = self._create_dot((first_a, first_b), builder)
        for start in range(width, k, width):
            # Load each slice before the previous dot, so that the load overlaps with it.
            loads = Builder().before(last_dot)
            slice_a, slice_b = (
                self._load_slice(operand, new.iter_args[operand.iter_arg], start, loads)
                for operand in (a, b)
            )
            last_dot = self._create_dot((slice_a, slice_b), builder, last_dot.results[0])
        builder.before(last_dot)
        if enabled():
            record_decision(
                self.by,
                last_dot.results[0],
                str(types.encoding(last_dot.results[0].type)),
                f"the dot over K = {k} in slices of {width}; the first slice was prefetched",
                facts=[("K of a slice", str(width))],
            )
        return last_dot.results[0]

    def _create_dot(
        self,
        operands: tuple[SSAValue, SSAValue],
        builder: Builder,
        accumulator: SSAValue | None = None,
    ) -> Operation:
        dot = clone(self.dot, {})
        dot.operands[0], dot.operands[1] = operands
        if accumulator is not None:
            dot.operands[2] = accumulator
        builder.insert(dot)
        return dot

    def _load_slice(
        self, operand: _Operand, buffer: SSAValue, start: int, builder: Builder
    ) -> SSAValue:
        """Load and cast the slice of an operand that begins at `start` along K."""
        type_, width = buffer.type, self.plan.width
        assert isinstance(type_, ttg.MemDescType)
        assert type_.encoding is not None
        rank = len(type_.shape)
        k_dim = rank - 1 - operand.index
        shape = tuple(width if dim == k_dim else size for dim, size in enumerate(type_.shape))
        offsets = tuple(start if dim == k_dim else 0 for dim in range(rank))
        view = builder.create(
            ttg.MemDescSubsliceOp,
            [buffer],
            [
                ttg.MemDescType.of(
                    shape,
                    type_.element_type,
                    type_.encoding,
                    type_.memory_space,
                    mutable=type_.is_mutable,
                    allocated=type_.allocated,
                )
            ],
            {"offsets": attributes.array_i32(offsets)},
        )
        parent = types.encoding(self.dot.d.type)
        assert parent is not None
        encoding = DotOperandEncoding(operand.index, parent, width // _SLICE_WIDTH_PER_K_WIDTH)
        slice_type = types.tensor(shape, type_.element_type, encoding)
        value: SSAValue = builder.value(ttg.LocalLoadOp, [view.results[0]], slice_type)
        if enabled():
            record_decision(
                self.by, value, str(encoding), "a slice of the operand, for part of the dot"
            )
        for cast in operand.casts:
            value = self._cast_slice(cast, value, builder)
        return value

    def _cast_slice(self, cast: Operation, value: SSAValue, builder: Builder) -> SSAValue:
        """Apply a cast to a slice."""
        encoding: Encoding | None = types.encoding(value.type)
        element = types.element(cast.results[0].type)
        type_ = types.tensor(types.shape(value.type), element, encoding)
        new_cast = clone(cast, {cast.operands[0]: value})
        builder.insert(new_cast)
        result = Rewriter.replace_value_with_new_type(new_cast.results[0], type_)
        if enabled():
            record_decision(self.by, result, str(encoding), "the layout of the slice")
        return result
