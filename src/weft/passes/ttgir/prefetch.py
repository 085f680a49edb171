"""Load the first slice of the next iteration's operands while a dot is at work.

Of `tritongpu-prefetch`, for a dot of K = 32 whose operands stand in buffers that the loop carries:

Before:  scf.for … iter_args(%a = %a0, %b = %b0, …) {
           %x = ttg.local_load %a              64x32
           %d = tt.dot %x, %y, %acc
           scf.yield %a1, %b1, %d
After:   %p = ttg.local_load %a0[0:64, 0:16]   the first slice, before the loop
         scf.for … iter_args(%a = %a0, …, %p' = %p, %q' = %q) {
           %r = ttg.local_load %a[0:64, 16:32]
           %e = tt.dot %p', %q', %acc          of the slice that is there already
           %n = ttg.local_load %a1[0:64, 0:16] the next iteration's first slice
           %d = tt.dot %r, %s, %e              the last product is issued as late as can be
           scf.yield %a1, %b1, %d, %n, …

A slice has as many columns as one instruction reads in two steps. Casts between load and dot are
done per slice. Only loops with one dot, of mma.sync or MFMA, are taken apart; such loops lose the
hints that earlier passes read, even where their operands come otherwise.

Keeps: values; the whole loads and product stay behind without uses. Source: measured on
Triton 3.7.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.rewriter import Rewriter

from weft.ir import attributes, scf, tt, ttg, types
from weft.ir.builtin import Block, ModuleOp, Operation, OpResult, Region, SSAValue
from weft.ir.folds import FOLDS
from weft.ir.rewriting import Builder, clone, replace
from weft.layouts import AmdMfmaEncoding, DotOperandEncoding, Encoding, NvidiaMmaEncoding
from weft.passes.common.canonicalize.convert_layout import PATTERNS
from weft.passes.ledger import enabled, record_decision, record_remaining_layouts, snapshot_layouts
from weft.passes.rewrite.greedy import RewriteRules, apply_greedily

__all__ = ["Prefetch"]

_STEPS = 8  # columns of a slice per column that a lane holds side by side


@dataclass(frozen=True, slots=True)
class Prefetch:
    """Post: a dot whose operands a loop carries in buffers starts on slices loaded before."""

    name: ClassVar[str] = "tritongpu-prefetch"

    def run(self, module: ModuleOp) -> None:
        """Take loops apart in place."""
        before = snapshot_layouts(module)
        apply_greedily(module, RewriteRules(FOLDS, PATTERNS, top_down=False))
        for loop in _inner_first(module):
            dot = _only_dot(loop)
            plan = None if dot is None else _plan(loop, dot)
            if dot is not None and plan is not None:
                _Loop(self, loop, plan, dot).rebuild()
            elif dot is not None:
                loop.attributes.clear()
        record_remaining_layouts(self, module, before, "as the value that it stands for")


def _inner_first(module: ModuleOp) -> list[scf.ForOp]:
    """Return the loops, each after those inside it."""
    found: list[scf.ForOp] = []

    def visit(op: Operation) -> None:
        for region in op.regions:
            for block in region.blocks:
                for inner in block.ops:
                    if inner.regions:
                        visit(inner)
        if isinstance(op, scf.ForOp):
            found.append(op)

    visit(module)
    return found


def _only_dot(loop: scf.ForOp) -> tt.DotOp | None:
    """Return the dot of a loop that has one, of an instruction that reads registers."""
    dots = [op for op in loop.block.ops if isinstance(op, tt.DotOp)]
    if len(dots) != 1:
        return None
    encoding = types.encoding(dots[0].d.type)
    is_mma = isinstance(encoding, NvidiaMmaEncoding) and encoding.version_major == 2
    return dots[0] if is_mma or isinstance(encoding, AmdMfmaEncoding) else None


# ----------------------------------------------------------------------------------- what to do
@dataclass(frozen=True, slots=True)
class _Operand:
    """An operand that is loaded from a buffer which the loop carries.

    Fields: index: 0 or 1.  carried: which of the carried values the buffer is.
    casts: the operations between load and dot, in order.
    """

    index: int
    carried: int
    casts: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Both operands, and the columns of a slice."""

    operands: tuple[_Operand, _Operand]
    width: int


def _plan(loop: scf.ForOp, dot: tt.DotOp) -> _Plan | None:
    a, b = (_operand(loop, value, index) for index, value in enumerate((dot.a, dot.b)))
    encoding = types.encoding(dot.a.type)
    if a is None or b is None or not isinstance(encoding, DotOperandEncoding):
        return None
    width = _STEPS * encoding.k_width
    shape = types.shape(dot.a.type)
    return _Plan((a, b), width) if len(shape) == 2 and shape[1] >= width else None


def _operand(loop: scf.ForOp, value: SSAValue, index: int) -> _Operand | None:
    """Return how an operand comes from a carried buffer, None where it does not."""
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
    carried = loop.iter_arg_index(value)
    return None if carried is None else _Operand(index, carried, tuple(casts))


# -------------------------------------------------------------------------------------- doing it
@dataclass(slots=True)
class _Loop:
    """The loop that takes another one's place."""

    by: Prefetch
    old: scf.ForOp
    plan: _Plan
    dot: tt.DotOp

    def rebuild(self) -> None:
        """Make the new loop and replace the old one."""
        builder = Builder().before(self.old)
        first = [self._slice(o, self._init(o), 0, builder) for o in self.plan.operands]
        carried = [*self.old.init_args, *first]
        block = Block(
            arg_types=[self.old.induction_variable.type, *(value.type for value in carried)]
        )
        new = builder.create(
            scf.ForOp,
            [*self.old.bounds, *carried],
            [value.type for value in carried],
            self.old.properties,
            regions=[Region(block)],
        )
        for old, made in zip(self.old.block.args, block.args, strict=False):
            made.location = old.location
            old.replace_all_uses_with(made)
        self._fill(new)
        replace(self.old, new.results[: len(self.old.results)])

    def _init(self, operand: _Operand) -> SSAValue:
        return self.old.init_args[operand.carried]

    def _fill(self, new: scf.ForOp) -> None:
        """Move the body, the dot in slices, and load the next iteration's first slices."""
        builder = Builder().at_end(new.block)
        terminator = self.old.terminator
        result: SSAValue = self.dot.d
        for op in tuple(self.old.block.ops):
            if op is terminator:
                break
            if op.regions or any(value is result for value in op.operands):
                builder.at_end(new.block)
            op.detach()
            builder.insert(op)
            if op is self.dot:
                result = self._in_slices(new, builder)
                self.dot.d.replace_all_uses_with(result)
        yielded = list(terminator.operands)
        builder.location = terminator.location
        yielded += [self._slice(o, yielded[o.carried], 0, builder) for o in self.plan.operands]
        terminator.operands = yielded
        terminator.detach()
        builder.at_end(new.block).insert(terminator)

    def _in_slices(self, new: scf.ForOp, builder: Builder) -> SSAValue:
        """Multiply slice after slice; the builder is left in front of the last product."""
        a, b = self.plan.operands
        columns, width = types.shape(self.dot.a.type)[1], self.plan.width
        first_a, first_b = new.iter_args[-2:]
        done = self._product((first_a, first_b), builder)
        for start in range(width, columns, width):
            loads = Builder().before(done)
            slices = [self._slice(o, new.iter_args[o.carried], start, loads) for o in (a, b)]
            previous = done.results[0]
            done = self._product((slices[0], slices[1]), builder, previous)
        builder.before(done)
        if enabled():
            record_decision(
                self.by,
                done.results[0],
                str(types.encoding(done.results[0].type)),
                f"the product of {columns} columns, {width} at a time; the first ones were loaded "
                "in the iteration before",
                facts=[("columns of a slice", str(width))],
            )
        return done.results[0]

    def _product(
        self,
        operands: tuple[SSAValue, SSAValue],
        builder: Builder,
        accumulator: SSAValue | None = None,
    ) -> Operation:
        made = clone(self.dot, {})
        made.operands[0], made.operands[1] = operands
        if accumulator is not None:
            made.operands[2] = accumulator
        builder.insert(made)
        return made

    def _slice(self, operand: _Operand, buffer: SSAValue, start: int, builder: Builder) -> SSAValue:
        """Return a slice of an operand: columns of A, rows of B, from `start` on."""
        type_, width = buffer.type, self.plan.width
        assert isinstance(type_, ttg.MemDescType)
        assert type_.encoding is not None
        along = 1 - operand.index
        shape = tuple(width if dim == along else n for dim, n in enumerate(type_.shape))
        offsets = tuple(start if dim == along else 0 for dim in range(2))
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
        encoding = DotOperandEncoding(operand.index, parent, width // _STEPS)
        loaded = types.tensor(shape, type_.element_type, encoding)
        value: SSAValue = builder.value(ttg.LocalLoadOp, [view.results[0]], loaded)
        if enabled():
            record_decision(
                self.by, value, str(encoding), "a slice of the operand, for part of the product"
            )
        for cast in operand.casts:
            value = self._cast(cast, value, builder)
        return value

    def _cast(self, cast: Operation, value: SSAValue, builder: Builder) -> SSAValue:
        """Do a cast on a slice."""
        encoding: Encoding | None = types.encoding(value.type)
        element = types.element(cast.results[0].type)
        type_ = types.tensor(types.shape(value.type), element, encoding)
        made = clone(cast, {cast.operands[0]: value})
        builder.insert(made)
        new = Rewriter.replace_value_with_new_type(made.results[0], type_)
        if enabled():
            record_decision(self.by, new, str(encoding), "the cast of a slice, where the slice is")
        return new
