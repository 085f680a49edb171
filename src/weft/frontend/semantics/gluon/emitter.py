"""The emitter of a Gluon kernel: two tensors need one layout, and functions know their warps.

x + y       of layouts #a and #b: an error; the author converts one of them
x + y       one AutoLayout: it gets the layout of the other
"""

from __future__ import annotations

from weft.errors import SignatureError, TypeMismatchError
from weft.frontend.options import FrontendOptions
from weft.frontend.semantics.broadcasting import block_of
from weft.frontend.semantics.emitter import Emitter
from weft.frontend.semantics.gluon.values import BlockDescriptor, descriptor_ir_type
from weft.frontend.semantics.values import RuntimeValue, TensorValue
from weft.gluon.layouts import AutoLayout, DistributedLayout, NVMMASharedLayout, SharedLayout
from weft.gluon.layouts.text import parse_layout
from weft.gluon.types import distributed_type, tensor_descriptor_type
from weft.ir import attributes, gluon, types
from weft.ir.builtin import Attribute, ModuleOp, Operation, SSAValue
from weft.language.compound_types import block_type
from weft.language.dtypes import int32, int64
from weft.language.tuples import tuple_type

__all__ = ["GluonEmitter", "set_auto_layout", "set_module_attributes", "tensor_type"]


class GluonEmitter(Emitter):
    """Emits operations on tensors with layouts.

    Attributes:
        partition_warps: The number of warps of the partition that is being lowered; None outside
            of partitions.
    """

    partition_warps: int | None = None

    def descriptor_type(self, block: block_type, layout: str) -> Attribute:
        """Return the IR type of a tensor descriptor that is an argument, with its layout."""
        return descriptor_ir_type(_descriptor_type(block, layout))

    def descriptor(
        self,
        handle: SSAValue,
        block: block_type,
        layout: str,
        sizes: tuple[TensorValue, ...],
        strides: tuple[TensorValue, ...],
    ) -> RuntimeValue:
        """Create the value of a tensor descriptor that is an argument."""
        return BlockDescriptor(handle, _descriptor_type(block, layout), sizes, strides)

    def symbol_in_partition(self, symbol: str) -> str:
        """Append the number of warps of the current partition to a function's symbol."""
        return symbol if self.partition_warps is None else f"{symbol}_NW{self.partition_warps}"

    def mark_partition(self, op: Operation) -> None:
        """Set the number of warps of the current partition on a function that it calls."""
        if self.partition_warps is not None:
            op.attributes["ttg.num-warps"] = attributes.integer(self.partition_warps, types.i32)

    def match_layouts(self, a: TensorValue, b: TensorValue) -> tuple[TensorValue, TensorValue]:
        """Give two tensors one layout.

        Raises:
            TypeMismatchError: The ranks or the layouts differ.
        """
        left, right = (
            tensor_type("broadcast left input", a),
            tensor_type("broadcast right input", b),
        )
        if len(a.shape) != len(b.shape):
            raise TypeMismatchError(
                f"Cannot broadcast, rank mismatch: {list(a.shape)}, {list(b.shape)}",
                found=f"shapes {list(a.shape)} and {list(b.shape)}",
                hint="add a dimension with x[:, None] to a tensor with a SliceLayout",
            )
        is_left_auto = isinstance(left.layout, AutoLayout)
        is_right_auto = isinstance(right.layout, AutoLayout)
        if is_left_auto and not is_right_auto:
            return set_auto_layout(self, a, right.layout), b
        if is_right_auto and not is_left_auto:
            return a, set_auto_layout(self, b, left.layout)
        if left.encoding is not right.encoding:
            raise TypeMismatchError(
                f"Layout mismatch in broadcast: {left.layout} vs {right.layout}",
                found=f"{left.layout} and {right.layout}",
                hint="convert one of them with gl.convert_layout",
            )
        return a, b


def set_module_attributes(module: ModuleOp, options: FrontendOptions) -> None:
    """Set the attributes that the layouts in a module are verified with."""
    arch = options.arch
    numbers = {
        "ttg.num-ctas": options.num_ctas,
        "ttg.num-warps": options.num_warps,
        "ttg.threads-per-warp": options.warp_size,
        "ttg.maxnreg": options.maxnreg,
    }
    for name, number in numbers.items():
        if number is not None:
            module.attributes[name] = attributes.integer(number, types.i32)
    module.attributes["ttg.target"] = attributes.string(f"{options.backend}:{arch}")


def _descriptor_type(block: block_type, layout: str) -> tensor_descriptor_type:
    rank = len(block.shape)
    parsed = parse_layout(layout)
    if not isinstance(parsed, SharedLayout):
        raise SignatureError("expected the layout of a block in shared memory", found=layout)
    return tensor_descriptor_type(
        block,
        tuple_type([int32] * rank),
        tuple_type([int64] * rank),
        parsed,
        mangles_shape=not isinstance(parsed, NVMMASharedLayout),
    )


def tensor_type(role: str, value: TensorValue) -> distributed_type:
    """Return the type of a tensor with a layout.

    Args:
        role: What the value is used for, for the error.
        value: A value.

    Raises:
        TypeMismatchError: The value has no layout.
    """
    if not isinstance(value.type, distributed_type):
        raise TypeMismatchError(
            f"expected {role} to be a distributed_type but got: {value.type}", found=value
        )
    return value.type


def set_auto_layout(e: Emitter, value: TensorValue, layout: DistributedLayout) -> TensorValue:
    """Emit gluon.set_auto_layout."""
    block = block_of(value)
    type_ = distributed_type(block.element_ty, block.shape, layout)
    handle = e.builder.value(gluon.SetAutoLayoutOp, [value.handle], e.ir_type(type_))
    return TensorValue(handle, type_)
