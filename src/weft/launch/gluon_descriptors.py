"""Tensor descriptors of Gluon kernels, which have the layout of a block in shared memory.

    x_desc = TensorDescriptor.from_tensor(x, [128, 64], gl.NVMMASharedLayout(128, 16))

`layout` is a layout of `weft.gluon`; this package only checks its fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.errors import LaunchError
from weft.launch.arrays import element_type_name
from weft.launch.tensor_descriptor import TensorDescriptor as PlainDescriptor

__all__ = ["TdmDescriptor", "TensorDescriptor"]

_MAX_RANK, _ALIGNMENT = 5, 16
# The element types that TMA copies, by the bits of an element.
_NAMES = {
    8: ("u1", "i8", "u8", "fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16"),
    16: ("i16", "u16", "fp16", "bf16"),
    32: ("i32", "u32", "fp32"),
    64: ("i64", "u64", "fp64"),
}


def _require(condition: bool, message: str, found: object = None) -> None:
    if not condition:
        raise LaunchError(message, found=found)


@dataclass(slots=True)
class _BlockDescriptor:
    """A tensor that a Gluon kernel copies by blocks.

    Attributes:
        base: An array.
        shape: Elements per dimension.
        strides: Strides in elements; the last one is 1.
        block_shape: Shape of a block.
        layout: The layout of a block in shared memory.
        padding: The value of elements outside of the tensor.
    """

    base: Any
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    layout: Any
    padding: str = "zero"

    def __post_init__(self) -> None:
        rank = len(self.shape)
        _require(1 <= rank <= _MAX_RANK, f"Expected 1-5 dimensions but got {rank} dimensions")
        _require(
            len(self.strides) == rank and len(self.block_shape) == rank, f"rank mismatch: {self}"
        )
        _require(self.strides[-1] == 1, "Last dimension must be contiguous", self.strides)
        self._check()

    def _check(self) -> None:
        raise NotImplementedError(type(self).__name__)


@dataclass(slots=True)
class TensorDescriptor(_BlockDescriptor):
    """A tensor that TMA copies by blocks.

    Attributes:
        round_f32_to_tf32: Whether loads of float32 round to TF32.

    Raises:
        LaunchError: TMA cannot copy such blocks.
    """

    round_f32_to_tf32: bool = False

    def _check(self) -> None:
        layout = self.layout
        _require(
            type(layout).__name__ == "NVMMASharedLayout", "Layout must be NVMMASharedLayout", layout
        )
        _require(self.padding in ("zero", "nan"), "Illegal value for padding", self.padding)
        for extent in self.shape:
            _require(extent > 0, "shape must be positive", self.shape)
        bits: int = layout.element_bitwidth
        element_bytes = bits // 8
        alignment = 2 * _ALIGNMENT if layout.fp4_padded else _ALIGNMENT
        for stride in self.strides[:-1]:
            _require(
                stride * element_bytes % alignment == 0,
                f"strides must be {alignment}-byte aligned",
                self.strides,
            )
        name = element_type_name(self.base)
        _require(name in (None, *_NAMES[bits]), f"the layout has elements of {bits} bits", name)
        _require(
            not self.round_f32_to_tf32 or name == "fp32",
            "round_f32_to_tf32 is only supported for float32 tensors",
            name,
        )
        least = layout.swizzle_byte_width // (element_bytes * (2 if layout.fp4_padded else 1))
        _require(
            self.block_shape[-1] >= least,
            f"Expected block_shape[-1] to be at least {least} but got {self.block_shape[-1]}",
        )

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        block_shape: Sequence[int],
        layout: object,
        padding: str = "zero",
        round_f32_to_tf32: bool = False,
    ) -> TensorDescriptor:
        """Describe a whole tensor of torch, numpy, or another library.

        Raises:
            LaunchError: TMA cannot copy such blocks.
        """
        plain = PlainDescriptor.from_tensor(tensor, block_shape)
        return cls(
            tensor, plain.shape, plain.strides, block_shape, layout, padding, round_f32_to_tf32
        )


@dataclass(slots=True)
class TdmDescriptor(_BlockDescriptor):
    """A tensor that TDM copies by blocks.

    Raises:
        LaunchError: TDM cannot copy such blocks.
    """

    def _check(self) -> None:
        layout = self.layout
        _require(
            type(layout).__name__ in ("PaddedSharedLayout", "SwizzledSharedLayout"),
            "Expected layout to be a PaddedSharedLayout or SwizzledSharedLayout",
            layout,
        )
        _require(
            getattr(layout, "max_phase", 1) == 1,
            "Expected max_phase to be 1 for SwizzledSharedLayout",
            layout,
        )
        _require(self.padding == "zero", "Only 'zero' padding is supported", self.padding)

    @classmethod
    def from_tensor(cls, tensor: Any, block_shape: Sequence[int], layout: object) -> TdmDescriptor:
        """Describe a whole tensor of torch, numpy, or another library.

        Raises:
            LaunchError: TDM cannot copy such blocks.
        """
        plain = PlainDescriptor.from_tensor(tensor, block_shape)
        return cls(tensor, plain.shape, plain.strides, block_shape, layout)
