"""The values of a kernel while it is lowered.

    TensorValue       an SSA value and its type in the language (which has signedness): a scalar or
                      a block
    DescriptorValue   a tensor descriptor: its handle, shape and strides
    TupleValue        a tuple of values of any kind
    others of Gluon   buffers, their descriptors, accumulators (`gluon.values`)
    constexpr         a compile-time constant (weft.language)
    BoundMethod       `x.sum`: a function and its first argument
    others            functions, modules and types: the Python object

The kinds before `constexpr` are made of SSA values. `handles()` flattens a value to its SSA values,
and `rebuild(handles)` creates a value of the same type from others, so that loops, branches and
calls handle all kinds alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Protocol, TypeAlias, cast

from msgspec import Struct
from xdsl.ir import SSAValue

from weft.language.builtin import Builtin
from weft.language.compound_types import block_type
from weft.language.constexpr import ConstexprFunction, constexpr, constexpr_type
from weft.language.dtypes import dtype
from weft.language.host_functions import HostFunction
from weft.language.kernel_function import KernelFunction
from weft.language.tuples import tuple_type

Value: TypeAlias = object
"""A value of one of the kinds above."""


class RuntimeValue(Struct, frozen=True):
    """A value that is made of SSA values."""

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA values."""
        raise NotImplementedError(type(self).__name__)

    def rebuild(self, handles: Iterator[SSAValue]) -> RuntimeValue:
        """Create a value of the same type from the next of `handles`."""
        raise NotImplementedError(type(self).__name__)


class _Typed(Protocol):
    """The type of a `RuntimeValue`: a field of some subclasses, computed by the others."""

    @property
    def type(self) -> Any:
        """The type, which has `mangle` and is compared with `==`."""
        ...


class MemberValue(RuntimeValue, frozen=True):
    """A value with its own attributes: those of Gluon's values are declared with them.

    Attributes:
        properties: Compute each property.
        methods: The functions whose first argument is the value.
    """

    properties: ClassVar[Mapping[str, Callable[[Any], Value]]] = {}
    methods: ClassVar[Mapping[str, Builtin]] = {}


class TensorValue(RuntimeValue, frozen=True):
    """A scalar or a block.

    Attributes:
        handle: The SSA value.
        type: An element type, pointer or block.
    """

    handle: SSAValue
    type: dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each dimension: () for a scalar."""
        return self.type.shape

    @property
    def dtype(self) -> dtype:
        """The type of an element."""
        return self.type.scalar

    @property
    def is_block(self) -> bool:
        """Whether this is a block rather than a scalar."""
        return self.type.is_block()

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA value."""
        return (self.handle,)

    def rebuild(self, handles: Iterator[SSAValue]) -> TensorValue:
        """Create a value of the same type from the next of `handles`."""
        return TensorValue(next(handles), self.type)

    def __str__(self) -> str:
        return self.type_text(self.shape)

    def type_text(self, extents: Iterable[object]) -> str:
        """Format the type: its element type, the extents as given, and the layout of Gluon."""
        layout = getattr(self.type, "layout", None)
        suffix = "" if layout is None else f" of {layout}"
        return f"{self.dtype}[{', '.join(map(str, extents))}]{suffix}"


class DescriptorType(Struct, frozen=True):
    """The type of a tensor descriptor.

    Attributes:
        block: The type of the block that a load returns.
        rank: The number of dimensions of the tensor.
    """

    block: block_type
    rank: int

    def mangle(self) -> str:
        """Return the type's part of a mangled function name."""
        return f"TD{self.block.mangle()}"

    def __str__(self) -> str:
        return f"tensor_descriptor<{self.block}>"


class DescriptorValue(RuntimeValue, frozen=True):
    """A tensor descriptor.

    Attributes:
        handle: The SSA value.
        block: The type of the block that a load returns.
        sizes: The extents of the tensor, int32.
        strides: The strides in elements, int64; the last is 1.
    """

    handle: SSAValue
    block: block_type
    sizes: tuple[TensorValue, ...]
    strides: tuple[TensorValue, ...]

    @property
    def type(self) -> DescriptorType:
        """The type of the descriptor."""
        return DescriptorType(self.block, len(self.sizes))

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA values: handle, sizes, strides."""
        return (
            self.handle,
            *(size.handle for size in self.sizes),
            *(stride.handle for stride in self.strides),
        )

    def rebuild(self, handles: Iterator[SSAValue]) -> DescriptorValue:
        """Create a descriptor of the same type from the next of `handles`."""
        handle = next(handles)
        sizes = tuple(size.rebuild(handles) for size in self.sizes)
        strides = tuple(stride.rebuild(handles) for stride in self.strides)
        return DescriptorValue(handle, self.block, sizes, strides)

    def __str__(self) -> str:
        return str(self.type)


class TupleValue(RuntimeValue, frozen=True):
    """A tuple.

    Attributes:
        items: The members.
        fields: Their names, for a named tuple.
    """

    items: tuple[Value, ...]
    fields: tuple[str, ...] | None = None

    @property
    def type(self) -> tuple_type:
        """The type of the tuple."""
        return tuple_type([type_of(item) for item in self.items], self.fields)

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA values of the members; constants have none."""
        return tuple(handle for item in self.items for handle in handles_of(item))

    def rebuild(self, handles: Iterator[SSAValue]) -> TupleValue:
        """Create a tuple of the same type from the next of `handles`."""
        items = tuple(
            item.rebuild(handles) if isinstance(item, RuntimeValue) else item for item in self.items
        )
        return TupleValue(items, self.fields)

    def __str__(self) -> str:
        return f"({', '.join(str(item) for item in self.items)})"


class BoundMethod(Struct, frozen=True):
    """A function and its first argument: `x.sum`.

    Attributes:
        receiver: The value before the dot.
        function: The function.
    """

    receiver: Value
    function: Builtin | KernelFunction | ConstexprFunction | HostFunction


ValueType: TypeAlias = dtype | DescriptorType | constexpr_type


def handles_of(value: Value) -> tuple[SSAValue, ...]:
    """Return the SSA values that a value is made of; none for a constant."""
    return value.handles() if isinstance(value, RuntimeValue) else ()


def type_of(value: Value) -> ValueType:
    """Return the type of a value; a `constexpr_type` for a constant."""
    if isinstance(value, RuntimeValue):
        return cast("_Typed", value).type
    return constexpr_type(value)


def describe(value: Value) -> str:
    """Describe a value in an error message."""
    if isinstance(value, constexpr):
        return f"the constant {value.value!r}"
    if isinstance(value, RuntimeValue):
        return str(value)
    return f"{value!r} ({type(value).__name__})"
