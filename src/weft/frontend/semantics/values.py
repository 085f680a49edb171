"""What a name in a kernel can hold.

    TensorValue       one SSA value with the language's type of it (it knows signs); a scalar too
    DescriptorValue   a tensor descriptor: its handle, shape and strides
    TupleValue        a fixed number of values, of any of these kinds
    constexpr         a Python value known when compiling (weft.language)
    BoundMethod       `x.sum`: a function and its first argument
    KernelFunction, Builtin, modules, Python objects: as they are

All but the static kinds live in SSA form: `handles()` gives their SSA values flattened, and
`rebuild(iterator)` makes the same kind of value over others, so that a loop, a branch or a call
carries a value without knowing its kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.ir import SSAValue

from weft.language.compound_types import block_type
from weft.language.constexpr import constexpr, constexpr_type
from weft.language.dtypes import dtype
from weft.language.tuples import tuple_type


@dataclass(frozen=True, slots=True)
class TensorValue:
    """Hold one SSA value and the language's type of it.

    Args: handle: the SSA value.  type: element type, pointer or block.
    """

    handle: SSAValue
    type: dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the extents: () for a scalar."""
        return self.type.shape

    @property
    def dtype(self) -> dtype:
        """Return the type of one element."""
        return self.type.scalar

    @property
    def is_block(self) -> bool:
        """Tell whether this is a block, not a scalar."""
        return self.type.is_block()

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA values that carry this one."""
        return (self.handle,)

    def rebuild(self, handles: Iterator[SSAValue]) -> TensorValue:
        """Return a value of the same type over the next of `handles`."""
        return TensorValue(next(handles), self.type)

    def __str__(self) -> str:
        extents = ", ".join(map(str, self.shape))
        return f"{self.dtype}[{extents}]"


@dataclass(frozen=True, slots=True)
class DescriptorType:
    """Name the type of a tensor descriptor.

    Args: block: type of the block that one load gives.  rank: dimensions of the tensor.
    """

    block: block_type
    rank: int

    def mangle(self) -> str:
        """Return the type as it stands in a mangled function name."""
        return f"TD{self.block.mangle()}"

    def __str__(self) -> str:
        return f"tensor_descriptor<{self.block}>"


@dataclass(frozen=True, slots=True)
class DescriptorValue:
    """Hold a tensor descriptor.

    Args: handle: the SSA value.  block: type of the block that one load gives.
          sizes: extents of the tensor (int32).  strides: in elements (int64), last one 1.
    """

    handle: SSAValue
    block: block_type
    sizes: tuple[TensorValue, ...]
    strides: tuple[TensorValue, ...]

    @property
    def type(self) -> DescriptorType:
        """Return the type, for messages and mangled names."""
        return DescriptorType(self.block, len(self.sizes))

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA values that carry this one: handle, sizes, strides."""
        return (
            self.handle,
            *(size.handle for size in self.sizes),
            *(stride.handle for stride in self.strides),
        )

    def rebuild(self, handles: Iterator[SSAValue]) -> DescriptorValue:
        """Return a descriptor of the same type over the next of `handles`."""
        handle = next(handles)
        sizes = tuple(size.rebuild(handles) for size in self.sizes)
        strides = tuple(stride.rebuild(handles) for stride in self.strides)
        return DescriptorValue(handle, self.block, sizes, strides)

    def __str__(self) -> str:
        return str(self.type)


@dataclass(frozen=True, slots=True)
class TupleValue:
    """Hold the values of a tuple, and their names if it is a named one.

    Args: items: the members.  fields: their names, or None.
    """

    items: tuple[Any, ...]
    fields: tuple[str, ...] | None = None

    @property
    def type(self) -> tuple_type:
        """Return the type, for messages and mangled names."""
        return tuple_type([type_of(item) for item in self.items], self.fields)

    def handles(self) -> tuple[SSAValue, ...]:
        """Return the SSA values that carry the members; static members have none."""
        return tuple(handle for item in self.items for handle in handles_of(item))

    def rebuild(self, handles: Iterator[SSAValue]) -> TupleValue:
        """Return a tuple of the same type over the next of `handles`."""
        items = tuple(
            item.rebuild(handles) if isinstance(item, _CARRIED) else item for item in self.items
        )
        return TupleValue(items, self.fields)

    def __str__(self) -> str:
        return f"({', '.join(str(item) for item in self.items)})"


@dataclass(frozen=True, slots=True)
class BoundMethod:
    """Hold a function together with its first argument, as `x.sum` gives it.

    Args: receiver: the value before the dot.  function: Builtin or KernelFunction.
    """

    receiver: Any
    function: Any


_CARRIED = (TensorValue, DescriptorValue, TupleValue)

Value: TypeAlias = TensorValue | DescriptorValue | TupleValue | BoundMethod | constexpr | Any


def handles_of(value: Value) -> tuple[SSAValue, ...]:
    """Return the SSA values that carry `value`: none for a static one."""
    return value.handles() if isinstance(value, _CARRIED) else ()


def type_of(value: Value) -> Any:
    """Return the type of a value, a `constexpr_type` for a static one."""
    if isinstance(value, _CARRIED):
        return value.type
    return constexpr_type(value)


def describe(value: Value) -> str:
    """Return words for a value, as an error message names it."""
    if isinstance(value, constexpr):
        return f"the constant {value.value!r}"
    if isinstance(value, _CARRIED):
        return str(value)
    return f"{value!r} ({type(value).__name__})"
