"""Give a value of final TTGIR another layout, and move the conversions to where they cost least.

    %s = arith.addf %a, %b : #a             %a1 = ttg.convert_layout %a : #a -> #b
    tt.store %p, %s : #a           →        %b1 = ttg.convert_layout %b : #a -> #b
                                            %s = arith.addf %a1, %b1 : #b
                                            %s1 = ttg.convert_layout %s : #b -> #a
                                            tt.store %p, %s1 : #a

Indices and constants are computed in the layout that is needed instead of being converted. An
operation whose layout is fixed, such as a dot, keeps it, and its result is converted. From this
module conversions move up through operations on data, loads included, down through their users,
stores included, or both; the caller takes the cheapest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from weft.analysis.encoding_inference import has_one_encoding, is_view, operand_encoding
from weft.errors import LayoutError, VerifyError, WeftError, did_you_mean
from weft.explain.labels import Labels
from weft.explain.layout_history import values_with_layouts
from weft.ir import amdg, arith, attributes, scf, tt, ttg, types
from weft.ir.builtin import (
    Attribute,
    Block,
    BlockArgument,
    DenseIntOrFPElementsAttr,
    ModuleOp,
    Operation,
    SSAValue,
)
from weft.ir.interfaces.memory_effects import is_trivially_dead
from weft.ir.rewriting import Builder, clone, defining_op, erase, set_type, walk
from weft.ir.verifier import verify
from weft.layouts import Encoding, parse

__all__ = ["pin_layout", "read_layout"]

_LOADS = (tt.LoadOp, amdg.BufferLoadOp, ttg.LocalLoadOp)
_STORES = (tt.StoreOp, amdg.BufferStoreOp)
_FREE = (arith.ConstantOp, tt.MakeRangeOp, ttg.LocalLoadOp, ttg.ConvertLayoutOp)
_MOST_MOVES = 64


def read_layout(text: str, module: ModuleOp) -> Encoding:
    """Read a layout: a name of the report, or its text, which may use aliases.

    Raises:
        WeftError: It is neither.
    """
    labels = Labels(module)
    encodings = {encoding for _, encoding in values_with_layouts(module)}
    names = {labels.layout_names(each): each for each in encodings}
    if text in names:
        return names[text]
    aliases = {name: each for name, each in names.items() if name.startswith("#")}
    try:
        return parse(text, aliases)
    except LayoutError as error:
        raise WeftError(
            f"unknown layout {text}: {error.message}",
            found=text,
            accepted=[*sorted(names), "#ttg.blocked<{…}>"],
            hint=did_you_mean(text, names),
        ) from None


def pin_layout(module: ModuleOp, name: str, layout: Encoding) -> Iterator[ModuleOp]:
    """Yield modules in which a value has another layout, with conversions at different places.

    Args:
        module: Final TTGIR; it stays as it is.
        name: The value, as reports print it: "%acc".
        layout: The layout.

    Raises:
        WeftError: There is no such value, or the layout does not fit it.
    """
    _check(_value(module, name), name, layout)
    for up, down in ((False, False), (True, False), (False, True), (True, True)):
        copy = cast("ModuleOp", clone(module, {}))
        pinning = _Pinning()
        try:
            pinning.pin(_value(copy, name), layout)
            pinning.move(up=up, down=down)
            _clean_up(copy)
            verify(copy)
        except (LayoutError, VerifyError) as error:
            if not up and not down:
                raise WeftError(
                    f"{name} cannot have this layout: {error.message}", found=str(layout)
                ) from None
            continue
        yield copy


def _value(module: ModuleOp, name: str) -> SSAValue:
    labels = Labels(module)
    values = {labels.value(value): value for value, _ in values_with_layouts(module)}
    key = name if name.startswith("%") else f"%{name}"
    if key not in values:
        raise WeftError(
            f"no tensor is called {key}",
            found=name,
            hint=did_you_mean(key, values) or "the report prints the names with --values",
        )
    return values[key]


def _check(value: SSAValue, name: str, layout: Encoding) -> None:
    """Check that a layout distributes a tensor over the same lanes and warps as now.

    Raises:
        WeftError: It does not.
    """
    shape, current = types.shape(value.type), types.encoding(value.type)
    assert current is not None
    before = current.linear(shape)
    try:
        after = layout.linear(shape)
    except LayoutError as error:
        raise WeftError(
            f"the layout does not fit {name} of shape {'x'.join(map(str, shape))}: {error.message}",
            found=str(layout),
        ) from None
    sizes = {dim: before.in_dims.get(dim, 1) for dim in ("lane", "warp", "block")}
    new_sizes = {dim: after.in_dims.get(dim, 1) for dim in sizes}
    if "register" not in after.in_dims or sizes != new_sizes:
        text = ", ".join(f"{number} {dim}s" for dim, number in sizes.items())
        raise WeftError(
            f"the layout of {name} must distribute it over the threads of the kernel",
            found=", ".join(f"{number} {dim}s" for dim, number in after.in_dims.items()),
            accepted=[text],
        )


@dataclass
class _Pinning:
    """The change of layouts in one module.

    Attributes:
        pinned: The values with a new layout.
        upper: The conversions that were inserted before operands.
        lower: The conversions back that were inserted after values.
    """

    pinned: set[SSAValue] = field(default_factory=set[SSAValue])
    upper: list[ttg.ConvertLayoutOp] = field(default_factory=list[ttg.ConvertLayoutOp])
    lower: list[ttg.ConvertLayoutOp] = field(default_factory=list[ttg.ConvertLayoutOp])
    _copies: dict[tuple[SSAValue, Encoding], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, Encoding], SSAValue]
    )

    def pin(self, value: SSAValue, layout: Encoding) -> None:
        """Give a value a layout; convert its operands to it and the value back for its users."""
        before = _layout(value)
        if before == layout:
            return
        op = defining_op(value)
        if op is not None and _can_compute(op, layout):
            self._convert_operands(op, layout)
            self._set_layout(value, layout, before)
        elif (carried := _carried(value)) is not None:
            loop, index = carried
            self._pin_carried(loop, index, layout, before)
        else:
            self._convert_result(value, layout)

    def _set_layout(self, value: SSAValue, layout: Encoding, before: Encoding) -> None:
        set_type(value, types.with_encoding(value.type, layout))
        self.pinned.add(value)
        self._convert_back(value, before)

    def _convert_operands(self, op: Operation, layout: Encoding) -> None:
        """Give the operands of an operation the layouts that its result needs."""
        if isinstance(op, arith.ConstantOp):
            type_ = types.with_encoding(op.results[0].type, layout)
            op.properties["value"] = _retype(op.properties["value"], type_)
        if isinstance(op, _FREE):
            return
        for index, operand in enumerate(op.operands):
            if types.is_tensor(operand.type):
                needed = _operand_layout(op, layout, index)
                assert needed is not None
                op.operands[index] = self._in_layout(operand, needed, op)

    def _in_layout(self, value: SSAValue, layout: Encoding, user: Operation) -> SSAValue:
        """Compute or convert a value in a layout, before a user."""
        if _layout(value) == layout:
            return value
        op = defining_op(value)
        if isinstance(op, ttg.ConvertLayoutOp) and _layout(op.src) == layout:
            return op.src
        if op is not None and not _is_data(op) and _can_compute(op, layout):
            key = value, layout
            if key not in self._copies:
                copy = clone(op, {})
                Builder().before(op).insert(copy)
                set_type(copy.results[0], types.with_encoding(value.type, layout))
                self._convert_operands(copy, layout)
                self._copies[key] = copy.results[0]
            return self._copies[key]
        type_ = types.with_encoding(value.type, layout)
        builder = Builder().before(user)
        conversion = builder.create(ttg.ConvertLayoutOp, [value], [type_])
        self.upper.append(conversion)
        return conversion.results[0]

    def _convert_back(self, value: SSAValue, layout: Encoding) -> None:
        """Convert a value for its users to the layout that they had it in."""
        uses = [
            use
            for use in value.uses
            if not isinstance(use.operation, ttg.ConvertLayoutOp | ttg.LocalStoreOp)
        ]
        self._remove_identities(value)
        if not uses:
            return
        conversion = self._convert_after(value, layout)
        for use in uses:
            use.operation.operands[use.index] = conversion.results[0]
        self.lower.append(conversion)

    def _convert_result(self, value: SSAValue, layout: Encoding) -> None:
        """Convert a value whose layout is fixed; the result counts as the pinned value."""
        uses = list(value.uses)
        conversion = self._convert_after(value, layout)
        for use in uses:
            use.operation.operands[use.index] = conversion.results[0]
        self._convert_back(conversion.results[0], _layout(value))
        self.pinned.add(conversion.results[0])

    def _convert_after(self, value: SSAValue, layout: Encoding) -> ttg.ConvertLayoutOp:
        owner = value.owner
        if isinstance(owner, Operation):
            builder = Builder().after(owner)
        else:
            builder = Builder(cast("BlockArgument", value).location).at_start(owner)
        type_ = types.with_encoding(value.type, layout)
        return builder.create(ttg.ConvertLayoutOp, [value], [type_])

    def _remove_identities(self, value: SSAValue) -> None:
        for use in list(value.uses):
            op = use.operation
            if isinstance(op, ttg.ConvertLayoutOp) and _layout(op.result) == _layout(value):
                op.result.replace_all_uses_with(value)
                erase(op)

    def _pin_carried(self, loop: scf.ForOp, index: int, layout: Encoding, before: Encoding) -> None:
        """Pin what a loop carries: the initial value, the block argument, the yield, the result."""
        argument, result = loop.iter_args[index], loop.results[index]
        first = len(loop.operands) - len(loop.iter_args)
        initial = loop.operands[first + index]
        loop.operands[first + index] = self._in_layout(initial, layout, loop)
        for value in (argument, result):
            self._set_layout(value, layout, before)
        yield_ = loop.regions[0].block.last_op
        assert yield_ is not None
        yield_.operands[index] = self._in_layout(yield_.operands[index], layout, yield_)

    def move(self, *, up: bool, down: bool) -> None:
        """Move conversions up through what computes their operands, down through their users."""
        for _ in range(_MOST_MOVES):
            moved = (up and self._move_up()) or (down and self._move_down())
            if not moved:
                return

    def _move_up(self) -> bool:
        for conversion in self.upper:
            if conversion.parent is None or len(list(conversion.src.uses)) != 1:
                continue
            source, op, layout = (
                conversion.src,
                defining_op(conversion.src),
                _layout(conversion.result),
            )
            if source in self.pinned or op is None or not _can_compute(op, layout):
                continue
            self._convert_operands(op, layout)
            set_type(source, types.with_encoding(source.type, layout))
            self.pinned.add(source)
            self._remove_identities(source)
            return True
        return False

    def _move_down(self) -> bool:
        for conversion in self.lower:
            if conversion.parent is None:
                continue
            for use in list(conversion.result.uses):
                if self._move_into(use.operation, conversion):
                    return True
        return False

    def _move_into(self, user: Operation, conversion: ttg.ConvertLayoutOp) -> bool:
        """Compute a user of a conversion in the layout of its operand."""
        layout = _layout(conversion.src)
        if isinstance(user, _STORES):
            for index, operand in enumerate(user.operands):
                if types.is_tensor(operand.type):
                    user.operands[index] = self._in_layout(operand, layout, user)
            return True
        is_free = len(user.results) == 1 and has_one_encoding(user) and _can_compute(user, layout)
        if not is_free or user.results[0] in self.pinned:
            return False
        before = _layout(user.results[0])
        self._convert_operands(user, layout)
        self._set_layout(user.results[0], layout, before)
        return True


def _retype(value: Attribute, type_: Attribute) -> Attribute:
    """Give a constant the type of a tensor in another layout."""
    if isinstance(value, attributes.SplatAttr):
        return attributes.splat(value.value, type_)
    assert isinstance(value, DenseIntOrFPElementsAttr)
    return DenseIntOrFPElementsAttr(type_, value.data)  # pyright: ignore[reportArgumentType]


def _layout(value: SSAValue) -> Encoding:
    layout = types.encoding(value.type)
    assert layout is not None
    return layout


def _operand_layout(op: Operation, layout: Encoding, index: int) -> Encoding | None:
    """Find the layout that an operand needs, None if the result cannot have the layout."""
    if isinstance(op, amdg.BufferLoadOp):
        return layout
    return operand_encoding(op, layout, index)


def _can_compute(op: Operation, layout: Encoding) -> bool:
    """Check whether an operation can have its result in a layout, with operands to match."""
    if isinstance(op, _FREE):
        return True
    if len(op.results) != 1 or isinstance(op, tt.AtomicRMWOp | tt.AtomicCASOp | tt.ScanOp):
        return False
    if not (has_one_encoding(op) or is_view(op) or isinstance(op, amdg.BufferLoadOp)):
        return False
    tensors = [n for n, each in enumerate(op.operands) if types.is_tensor(each.type)]
    return all(_operand_layout(op, layout, index) is not None for index in tensors)


def _is_data(op: Operation) -> bool:
    """Check whether a value is computed from memory or by a loop, not from indices alone."""
    seen, stack = set[Operation](), [op]
    while stack:
        each = stack.pop()
        if each in seen:
            continue
        seen.add(each)
        if isinstance(each, _LOADS) or each.regions or not _is_pure_index(each):
            return True
        for operand in each.operands:
            producer = defining_op(operand)
            if producer is not None:
                stack.append(producer)
            elif types.is_tensor(operand.type):
                return True
    return False


def _is_pure_index(op: Operation) -> bool:
    if not any(types.is_tensor(each.type) for each in op.results):
        return True
    is_free = isinstance(op, arith.ConstantOp | tt.MakeRangeOp | ttg.ConvertLayoutOp)
    return is_free or has_one_encoding(op) or is_view(op)


def _carried(value: SSAValue) -> tuple[scf.ForOp, int] | None:
    """Find the loop that carries a value, and its number."""
    op = defining_op(value)
    if isinstance(op, scf.ForOp):
        return op, op.results.index(value)  # pyright: ignore
    owner = value.owner
    if isinstance(owner, Block) and isinstance(loop := owner.parent_op(), scf.ForOp):
        index = loop.iter_arg_index(cast("BlockArgument", value))
        return None if index is None else (loop, index)
    return None


def _clean_up(module: ModuleOp) -> None:
    """Remove conversions to the same layout, and operations without users and effects."""
    for op in reversed(list(walk(module))):
        if isinstance(op, ttg.ConvertLayoutOp) and op.src.type == op.result.type:
            op.result.replace_all_uses_with(op.src)
        if is_trivially_dead(op):
            erase(op)
