"""The state of the conversion from TTIR to TTGIR, and the steps that conversion rules share.

Operations are converted in dominance order and in place. A rule sees operands that have layouts and
sets the layouts of the results. If a result has another layout than the default of its shape, the
first user that needs the default creates a ttg.convert_layout right after the result; later users
share it:

    %1 = tt.trans %0 : … -> tensor<32x128xi32, #blocked8>             the layout that follows
    %2 = ttg.convert_layout %1 : … -> tensor<32x128xi32, #blocked6>   the default, for other users
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

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
    UnrealizedConversionCastOp,
)
from weft.ir.locations import LocationAttr
from weft.ir.rewriting import Builder, replace
from weft.layouts import BlockedEncoding, Encoding, default_blocked

__all__ = ["Conversion", "encoding_of", "error", "located_error"]


class Conversion:
    """The state of one conversion.

    Args:
        num_warps: The warps per CTA.
        threads_per_warp: The threads per warp.
        num_ctas: The CTAs per cluster.
        folds: The operations to remove, with the values or constants that replace their results.
        legal_ops: The operations that do not change.
        laid_out: The values that have a layout before the conversion, and keep it.
        has_buffers: Whether operations on shared and tensor memory are converted.
        casts_back: Whether operations that stay take converted tensors by a cast.
    """

    def __init__(
        self,
        num_warps: int,
        threads_per_warp: int,
        num_ctas: int,
        folds: Mapping[Operation, Sequence[object]],
        *,
        legal_ops: AbstractSet[Operation] = frozenset(),
        laid_out: AbstractSet[SSAValue] = frozenset(),
        has_buffers: bool = False,
        casts_back: bool = False,
    ) -> None:
        self.folds = folds
        self.legal_ops = legal_ops
        self._laid_out = laid_out
        self._casts_back = casts_back
        self._casts: dict[SSAValue, SSAValue] = {}
        self.has_buffers = has_buffers
        self.num_warps = num_warps
        self.threads_per_warp = threads_per_warp
        self.num_ctas = num_ctas
        # Keyed by id, because hashing types dominates otherwise; the value keeps the type alive.
        self._types: dict[int, tuple[Attribute, Attribute]] = {}
        self._default_types: dict[int, tuple[Attribute, Attribute | None]] = {}
        self._conversions: dict[SSAValue, SSAValue] = {}
        self._replacements: dict[SSAValue, SSAValue] = {}
        self._replaced_ops: list[Operation] = []

    # -- types ------------------------------------------------------------------------------------
    def default(
        self,
        shape: Sequence[int],
        size_per_thread: Sequence[int] | None = None,
        order: Sequence[int] | None = None,
    ) -> BlockedEncoding:
        """Compute the default layout of a shape."""
        return default_blocked(
            shape, self.num_warps, self.threads_per_warp, self.num_ctas, size_per_thread, order
        )

    def type_of(self, type_: Attribute) -> Attribute:
        """Convert a type: every tensor in registers gets the default layout of its shape.

        This includes the pointee of a block pointer. The block of a descriptor is in memory and
        does not change.
        """
        entry = self._types.get(id(type_))
        if entry is None:
            entry = self._types[id(type_)] = (type_, self._convert(type_))
        return entry[1]

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
        """Return an operand in the default layout of its shape, or in the one that it had."""
        value = self._replacements.get(op.operands[index], op.operands[index])
        if value in self._laid_out:
            return value
        type_ = value.type
        entry = self._default_types.get(id(type_))
        if entry is None:
            entry = (type_, self._default_type(type_))
            self._default_types[id(type_)] = entry
        default_type = entry[1]
        if default_type is None:
            return value
        converted = self._conversions.get(value)
        if converted is None:
            builder = _after_definition(value)
            builder.location = op.location
            converted = builder.create(ttg.ConvertLayoutOp, [value], [default_type]).results[0]
            self._conversions[value] = converted
        return converted

    def cast_operands_back(self, op: Operation) -> None:
        """Give an operation that stays tensors without layouts, as it had them.

        Raises:
            PassError: It takes a converted tensor, and no casts were requested.
        """
        for index, operand in enumerate(op.operands):
            value = self._replacements.get(operand, operand)
            type_ = value.type
            if not types.is_tensor(type_) or types.encoding(type_) is None:
                continue
            if value in self._laid_out:
                continue
            plain_type = types.with_encoding(type_, None)
            if not self._casts_back:
                raise error(
                    op,
                    f"failed to legalize unresolved materialization from ('{type_}') to "
                    f"('{plain_type}') that remained live after conversion",
                )
            if value not in self._casts:
                builder = _after_definition(value)
                builder.location = op.location
                cast = builder.create(UnrealizedConversionCastOp, [value], [plain_type])
                self._casts[value] = cast.results[0]
            op.operands[index] = self._casts[value]

    def _default_type(self, type_: Attribute) -> Attribute | None:
        """Compute the type with the default layout, None if no conversion is needed."""
        if not types.is_tensor(type_):
            return None
        default_type = types.with_encoding(type_, self.default(types.shape(type_)))
        return None if default_type == type_ else default_type

    def set_default_operands(self, op: Operation) -> None:
        """Convert all operands to the default layouts of their shapes."""
        operands = [self.operand(op, index) for index in range(len(op.operands))]
        if any(new is not old for new, old in zip(operands, op.operands, strict=True)):
            op.operands = operands

    def convert_layout(
        self, op: Operation, value: SSAValue, encoding: Encoding, location: LocationAttr
    ) -> SSAValue:
        """Convert a value to another layout right before an operation."""
        builder = Builder().before(op)
        builder.location = location
        type_ = types.with_encoding(value.type, encoding)
        return builder.create(ttg.ConvertLayoutOp, [value], [type_]).results[0]

    # -- operations that fold ---------------------------------------------------------------------
    def replace_later(self, op: Operation, values: Sequence[SSAValue]) -> None:
        """Replace an operation by values when the conversion finishes."""
        for result, value in zip(op.results, values, strict=True):
            self._replacements[result] = self._replacements.get(value, value)
        self._replaced_ops.append(op)

    def finish(self) -> None:
        """Replace the operations that folded."""
        for op in reversed(self._replaced_ops):
            replace(op, [self._replacements[result] for result in op.results])

    # -- results ----------------------------------------------------------------------------------
    def set_result(self, op: Operation, index: int, type_: Attribute) -> None:
        """Change the type of a result."""
        if op.results[index].type is not type_:
            Rewriter.replace_value_with_new_type(op.results[index], type_)

    def set_default_results(self, op: Operation) -> None:
        """Give all results the default layouts of their shapes."""
        for index, result in enumerate(op.results):
            self.set_result(op, index, self.type_of(result.type))

    def retype_constant(self, op: Operation) -> None:
        """Change the type of the value of a constant to that of its result."""
        value, type_ = op.properties["value"], op.results[0].type
        if isinstance(value, attributes.SplatAttr):
            op.properties["value"] = attributes.splat(value.value, type_)
        elif isinstance(value, DenseIntOrFPElementsAttr) and types.is_tensor(type_):
            op.properties["value"] = DenseIntOrFPElementsAttr(type_, value.data)  # pyright: ignore[reportArgumentType]


def _after_definition(value: SSAValue) -> Builder:
    if isinstance(value, OpResult):
        return Builder().after(value.op)
    assert isinstance(value, BlockArgument)
    return Builder().at_start(value.block)


def encoding_of(value: SSAValue) -> Encoding:
    """Return the layout of a converted value."""
    encoding = types.encoding(value.type)
    assert encoding is not None, "operands are converted before their users"
    return encoding


def error(
    op: Operation, message: str, *, found: object = None, accepted: Sequence[object] = ()
) -> PassError:
    """Create a PassError at the source position of an operation."""
    return PassError(
        f"convert-triton-to-tritongpu: {op.name}: {message}",
        location=locations.position(op.location),
        found=found,
        accepted=accepted,
    )


def located_error(op: Operation, layout_error: LayoutError) -> PassError:
    """Convert a LayoutError to a PassError at the source position of an operation."""
    return PassError(
        f"convert-triton-to-tritongpu: {op.name}: {layout_error.message}",
        location=locations.position(op.location),
        found=layout_error.found,
        accepted=layout_error.accepted,
        hint=layout_error.hint,
    )
