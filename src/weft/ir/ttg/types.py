"""Types of buffers in shared and tensor memory, and of the tokens of asynchronous operations.

!ttg.memdesc<2x128x64xf16, #shared, #smem, mutable, 3x128x64>
             │            │        │      │        └ shape of the allocation, if this is a view
             │            │        │      └ can be written after its allocation
             │            │        └ memory space: #ttg.shared_memory or #ttng.tensor_memory
             │            └ encoding of its last dimensions
             └ shape and element type
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr, UnitAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from weft.ir import types
from weft.ir.encodings import EncodingAttr
from weft.ir.encodings import attribute as encoding_attribute
from weft.ir.ttg.memdesc_verifier import verify_memdesc
from weft.ir.type_constraints import TypeConstraint
from weft.layouts import Encoding

if TYPE_CHECKING:
    from xdsl.parser import AttrParser
    from xdsl.printer import Printer

__all__ = [
    "ASYNC_TOKEN",
    "MEMDESC",
    "TENSOR_OR_MEMDESC",
    "AsyncTokenType",
    "MemDescType",
    "SharedMemoryAttr",
    "async_token",
    "is_memdesc",
]


@irdl_attr_definition
class SharedMemoryAttr(ParametrizedAttribute):
    """The memory space of shared memory (LDS): `#ttg.shared_memory`, printed as alias `#smem`."""

    name = "ttg.shared_memory"


@irdl_attr_definition
class AsyncTokenType(ParametrizedAttribute, TypeAttribute):
    """A token that orders asynchronous operations and their users: `!ttg.async.token`."""

    name = "ttg.async.token"


async_token = AsyncTokenType()
ASYNC_TOKEN = TypeConstraint("async token type", lambda type_: type(type_) is AsyncTokenType)


def _dims(shape: tuple[int, ...]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(size) for size in shape])


@irdl_attr_definition
class MemDescType(ParametrizedAttribute, TypeAttribute):
    """A memory descriptor: a buffer in shared or tensor memory, or a view of one.

    Create one with `MemDescType.of`. The parameters below are attributes; the properties give
    their values.
    """

    name = "ttg.memdesc"
    dims: ArrayAttr[IntAttr]
    element_type: Attribute
    layout: Attribute
    memory_space: Attribute
    mutable: UnitAttr | NoneAttr
    allocation: ArrayAttr[IntAttr] | NoneAttr

    @classmethod
    def of(
        cls,
        shape: tuple[int, ...],
        element_type: Attribute,
        encoding: Encoding,
        memory_space: Attribute,
        *,
        mutable: bool = False,
        allocated: tuple[int, ...] | None = None,
    ) -> MemDescType:
        """Create the type, the same object each time; `allocated` defaults to the shape."""
        whole = shape if allocated is None else allocated
        return _memdesc(shape, element_type, encoding, memory_space, mutable, whole)

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return tuple(size.data for size in self.dims.data)

    @property
    def encoding(self) -> Encoding | None:
        """The layout of the last dimensions in memory."""
        return self.layout.data if isinstance(self.layout, EncodingAttr) else None

    @property
    def is_mutable(self) -> bool:
        """Whether the buffer can be written after its allocation."""
        return isinstance(self.mutable, UnitAttr)

    @property
    def allocated(self) -> tuple[int, ...]:
        """The shape of the allocation that this is a view of; its own shape if it is not a part."""
        if isinstance(self.allocation, NoneAttr):
            return self.shape
        return tuple(size.data for size in self.allocation.data)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        start = parser.pos
        with parser.in_angle_brackets():
            shape, element = parser.parse_ranked_shape()
            parser.parse_punctuation(",")
            layout = parser.parse_attribute()
            parser.parse_punctuation(",")
            space = parser.parse_attribute()
            mutable, allocation = False, list(shape)
            while parser.parse_optional_punctuation(",") is not None:
                if parser.parse_optional_keyword("mutable") is not None:
                    mutable = True
                    continue
                allocation = parser.parse_dimension_list()
                if any(size < 0 for size in allocation):
                    parser.raise_error("expected static shape", start, parser.pos)
                break
        try:
            verify_memdesc(tuple(shape), element, layout, space, tuple(allocation))
        except VerifyException as error:
            parser.raise_error(str(error), start, parser.pos)
        return _parameters(tuple(shape), element, layout, space, mutable, tuple(allocation))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string("<" + "".join(f"{size}x" for size in self.shape))
        printer.print_attribute(self.element_type)
        printer.print_string(", ")
        printer.print_attribute(self.layout)
        printer.print_string(", ")
        printer.print_attribute(self.memory_space)
        if self.is_mutable:
            printer.print_string(", mutable")
        if not isinstance(self.allocation, NoneAttr):
            printer.print_string(", " + "x".join(map(str, self.allocated)))
        printer.print_string(">")


def _parameters(
    shape: tuple[int, ...],
    element: Attribute,
    layout: Attribute,
    space: Attribute,
    mutable: bool,
    allocated: tuple[int, ...],
) -> list[Attribute]:
    return [
        _dims(shape),
        element,
        layout,
        space,
        UnitAttr() if mutable else NoneAttr(),
        NoneAttr() if allocated == shape else _dims(allocated),
    ]


@cache
def _memdesc(
    shape: tuple[int, ...],
    element: Attribute,
    encoding: Encoding,
    space: Attribute,
    mutable: bool,
    allocated: tuple[int, ...],
) -> MemDescType:
    layout = encoding_attribute(encoding)
    return MemDescType.new(_parameters(shape, element, layout, space, mutable, allocated))


def is_memdesc(type_: Attribute) -> bool:
    """Check whether a type is a memory descriptor."""
    return isinstance(type_, MemDescType)


MEMDESC = TypeConstraint(
    "memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system",
    is_memdesc,
)
TENSOR_OR_MEMDESC = TypeConstraint(
    "TensorOrMemDesc instance", lambda type_: is_memdesc(type_) or types.is_tensor(type_)
)
