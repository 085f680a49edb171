"""Give every tensor a layout, one operation after the other, in place.

Operations are visited in an order in which a value is met before its uses. A rule sees operands
that have their layouts already and decides the layout of the results. Where a result ends up in
another layout than the default of its shape, the first use that wants the default makes one
ttg.convert_layout, right behind the value, and later uses share it:

    %1 = tt.trans %0 : … -> tensor<32x128xi32, #blocked8>             what trans gives
    %2 = ttg.convert_layout %1 : … -> tensor<32x128xi32, #blocked6>   what everyone else takes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.rewriter import Rewriter

from weft.errors import LayoutError, PassError
from weft.ir import attributes, locations, ttg, types
from weft.ir.builtin import (
    Attribute,
    BlockArgument,
    DenseIntOrFPElementsAttr,
    FunctionType,
    Operation,
    OpResult,
    SSAValue,
)
from weft.ir.locations import LocationAttr
from weft.ir.rewriting import Builder, replace
from weft.layouts import BlockedEncoding, Encoding, default_blocked

__all__ = ["Conversion", "at", "encoding_of", "error", "location_of"]


class Conversion:
    """Hold what the rules share: the launch, the default layouts, the conversions made so far.

    Args: num_warps, threads_per_warp, num_ctas: of the launch, powers of two.
    folds: operations that go away, with the values or constants that stand for their results.
    """

    def __init__(
        self,
        num_warps: int,
        threads_per_warp: int,
        num_ctas: int,
        folds: Mapping[Operation, Sequence[object]],
    ) -> None:
        self.folds = folds
        self.num_warps = num_warps
        self.threads_per_warp = threads_per_warp
        self.num_ctas = num_ctas
        # By identity: hashing a type costs more than all else here; the type is kept alive.
        self._types: dict[int, tuple[Attribute, Attribute]] = {}
        self._wanted: dict[int, tuple[Attribute, Attribute | None]] = {}
        self._shared: dict[SSAValue, SSAValue] = {}
        self._folded: dict[SSAValue, SSAValue] = {}
        self._dropped: list[Operation] = []

    # -- types ------------------------------------------------------------------------------------
    def default(
        self,
        shape: Sequence[int],
        size_per_thread: Sequence[int] | None = None,
        order: Sequence[int] | None = None,
    ) -> BlockedEncoding:
        """Return the default layout of a shape for this launch."""
        return default_blocked(
            shape, self.num_warps, self.threads_per_warp, self.num_ctas, size_per_thread, order
        )

    def type_of(self, type_: Attribute) -> Attribute:
        """Return a type with the default layout in every tensor that a thread holds.

        A pointer to a tensor is converted with its tensor; the tile of a descriptor lies in
        memory and stays as it is.
        """
        found = self._types.get(id(type_))
        if found is None:
            found = self._types[id(type_)] = (type_, self._convert(type_))
        return found[1]

    def _convert(self, type_: Attribute) -> Attribute:
        if types.is_tensor(type_):
            if types.encoding(type_) is not None:
                return type_
            return types.with_encoding(type_, self.default(types.shape(type_)))
        if types.is_pointer(type_) and types.is_tensor(type_.pointee):
            return types.pointer(self._convert(type_.pointee), type_.address_space.data)
        if isinstance(type_, FunctionType):
            inputs = [self._convert(item) for item in type_.inputs.data]
            outputs = [self._convert(item) for item in type_.outputs.data]
            return FunctionType.from_lists(inputs, outputs)
        return type_

    # -- values -----------------------------------------------------------------------------------
    def operand(self, op: Operation, index: int) -> SSAValue:
        """Return an operand in the default layout of its shape.

        Raises: PassError where the operand has not been given a layout yet.
        """
        value = self._folded.get(op.operands[index], op.operands[index])
        type_ = value.type
        known = self._wanted.get(id(type_))
        if known is None:
            known = self._wanted[id(type_)] = (type_, self._other_layout(op, index, type_))
        wanted = known[1]
        if wanted is None:
            return value
        shared = self._shared.get(value)
        if shared is None:
            builder = Builder()
            if isinstance(value, OpResult):
                builder.after(value.op)
            else:
                assert isinstance(value, BlockArgument)
                builder.at_start(value.block)
            builder.location = op.location
            shared = builder.create(ttg.ConvertLayoutOp, [value], [wanted]).results[0]
            self._shared[value] = shared
        return shared

    def _other_layout(self, op: Operation, index: int, type_: Attribute) -> Attribute | None:
        """Return a tensor type with the default layout, None where it needs no conversion."""
        if not types.is_tensor(type_):
            return None
        if types.encoding(type_) is None:
            raise error(op, f"operand {index} is used before it is computed", found=type_)
        wanted = types.with_encoding(type_, self.default(types.shape(type_)))
        return None if wanted == type_ else wanted

    def take_defaults(self, op: Operation) -> None:
        """Let all operands be in the default layouts of their shapes."""
        operands = [self.operand(op, index) for index in range(len(op.operands))]
        if any(new is not old for new, old in zip(operands, op.operands, strict=True)):
            op.operands = operands

    def converted(
        self, op: Operation, value: SSAValue, encoding: Encoding, location: LocationAttr
    ) -> SSAValue:
        """Return `value` in another layout, converted right before `op`."""
        builder = Builder().before(op)
        builder.location = location
        type_ = types.with_encoding(value.type, encoding)
        return builder.create(ttg.ConvertLayoutOp, [value], [type_]).results[0]

    # -- operations that fold ---------------------------------------------------------------------
    def drop(self, op: Operation, values: Sequence[SSAValue]) -> None:
        """Let values stand for the results of an operation, which goes away at the end."""
        for result, value in zip(op.results, values, strict=True):
            self._folded[result] = self._folded.get(value, value)
        self._dropped.append(op)

    def finish(self) -> None:
        """Erase what was dropped."""
        for op in reversed(self._dropped):
            replace(op, [self._folded[result] for result in op.results])

    # -- results ----------------------------------------------------------------------------------
    def set_result(self, op: Operation, index: int, type_: Attribute) -> None:
        """Give a result another type."""
        if op.results[index].type is not type_:
            Rewriter.replace_value_with_new_type(op.results[index], type_)

    def default_results(self, op: Operation) -> None:
        """Give all results the default layouts of their shapes."""
        for index, result in enumerate(op.results):
            self.set_result(op, index, self.type_of(result.type))

    def retype_constant(self, op: Operation) -> None:
        """Give a constant's value the type of its result."""
        value, type_ = op.properties["value"], op.results[0].type
        if isinstance(value, attributes.SplatAttr):
            op.properties["value"] = attributes.splat(value.value, type_)
        elif isinstance(value, DenseIntOrFPElementsAttr) and types.is_tensor(type_):
            op.properties["value"] = DenseIntOrFPElementsAttr(type_, value.data)  # pyright: ignore[reportArgumentType]


def encoding_of(value: SSAValue) -> Encoding:
    """Return the layout of a value that has one."""
    found = types.encoding(value.type)
    assert found is not None, "operands have their layouts by now"
    return found


def location_of(value: SSAValue) -> LocationAttr:
    """Return the source location of what defines a value."""
    if isinstance(value, OpResult):
        return value.op.location
    assert isinstance(value, BlockArgument)
    return value.location


def error(
    op: Operation, message: str, *, found: object = None, accepted: Sequence[object] = ()
) -> PassError:
    """Return a PassError at the source position of an operation."""
    return PassError(
        f"convert-triton-to-tritongpu: {op.name}: {message}",
        location=locations.position(op.location),
        found=found,
        accepted=accepted,
    )


def at(op: Operation, problem: LayoutError) -> PassError:
    """Return what a layout could not do as a PassError at an operation."""
    return PassError(
        f"convert-triton-to-tritongpu: {op.name}: {problem.message}",
        location=locations.position(op.location),
        found=problem.found,
        accepted=problem.accepted,
        hint=problem.hint,
    )
