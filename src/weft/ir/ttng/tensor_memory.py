"""Operations of ttng on tensor memory (TMEM), which holds accumulators of Blackwell's MMAs.

    %m, %t0 = ttng.tmem_alloc : () -> (!ttg.memdesc<…, #tmem, #ttng.tensor_memory, …>, token)
    %t1 = ttng.tmem_store %x, %m[%t0], %p …
    %y, %t2 = ttng.tmem_load %m[%t1] …

A token is the state of the buffer after an operation. The use-def chain of tokens orders the
operations on a buffer.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedResultSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from weft.errors import LayoutError
from weft.ir import types
from weft.ir.constraints import TypedInteger, i32_prop
from weft.ir.interfaces import Effect, MemoryEffectOpInterface
from weft.ir.module_attributes import lookup_num_ctas
from weft.ir.operation import Infer, Op, fixed, operation
from weft.ir.ttg.memory import (
    allocation_effects,
    check_allocation,
    check_same_data,
    memdesc_type,
)
from weft.ir.ttg.types import ASYNC_TOKEN, MEMDESC, MemDescType, SharedMemoryAttr
from weft.ir.ttng.assembly import TokenDirective
from weft.ir.ttng.types import ReduceModifierAttr, TensorMemoryAttr
from weft.ir.type_constraints import I1, TENSOR
from weft.layouts import (
    Encoding,
    NvmmaSharedEncoding,
    TensorMemoryEncoding,
    TensorMemoryScalesEncoding,
)
from weft.layouts.memdesc_inference import shared_alignment
from weft.layouts.plans.tensor_memory import plan_tensor_memory_access

_ROWS = 128  # of tensor memory
_WORD_BITS = 32
_DESCRIPTOR_ALIGNMENT = 16  # bytes, of the address in a matrix descriptor

__all__ = [
    "OPERATIONS",
    "TMEMAllocOp",
    "TMEMCopyOp",
    "TMEMLoadOp",
    "TMEMStoreOp",
    "TMEMSubSliceOp",
    "check_tensor_memory",
]


def check_tensor_memory(op: Op, value: SSAValue) -> MemDescType:
    """Get the type of an operand or result that must be a buffer in tensor memory.

    Raises:
        VerifyException: It is of another type.
    """
    memory = memdesc_type(op, value)
    if not isinstance(memory.memory_space, TensorMemoryAttr):
        raise VerifyException("should use tensor memory encoding")
    return memory


def check_register_layout(op: Op, type_: Attribute, memory: MemDescType, name: str) -> None:
    """Require a layout of registers that tcgen05.ld and tcgen05.st can move.

    Args:
        op: The operation, for messages.
        type_: The type of the tensor.
        memory: The buffer in tensor memory.
        name: "source" or "result", for messages.

    Raises:
        VerifyException: No instruction moves it.
    """
    if len(types.shape(type_)) != 2:
        raise VerifyException(f"{name} must be a 2D tensor")
    encoding = types.encoding(type_)
    if encoding is None:
        return
    assert memory.encoding is not None
    try:
        plan_tensor_memory_access(
            encoding, memory.encoding, types.shape(type_), types.bit_width(memory.element_type)
        )
    except LayoutError as error:
        raise VerifyException(f"{name}: {error.message}. Got: {encoding}") from error


def _block(encoding: TensorMemoryEncoding) -> tuple[int, ...]:
    """Get what a slice of columns shares with the whole."""
    return (
        encoding.block_m,
        encoding.cta_split_m,
        encoding.cta_split_n,
        encoding.col_stride,
    )


def _list(shape: tuple[int, ...]) -> str:
    return ", ".join(map(str, shape))


@operation
class TMEMAllocOp(Op, MemoryEffectOpInterface):
    """Allocate a buffer in tensor memory, with the elements of a tensor if there is one.

    `%m, %t = ttng.tmem_alloc %x : (tensor<…>) -> (!ttg.memdesc<…>, !ttg.async.token)`
    """

    name = "ttng.tmem_alloc"
    optionals = var_operand_def(TENSOR)
    result = result_def(MEMDESC)
    token = opt_result_def(ASYNC_TOKEN)
    traits = traits_def(MemoryAllocEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("src",)
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ("result", "token")
    FORMAT: ClassVar[str] = "($src^)? attr-dict `:` functional-type(operands, results)"

    @property
    def src(self) -> SSAValue | None:
        return self.operand_or_none(0)

    def verify_(self) -> None:
        memory = memdesc_type(self, self.results[0])
        if not isinstance(memory.encoding, TensorMemoryEncoding | TensorMemoryScalesEncoding):
            raise VerifyException("should use tensor memory encoding")
        if self.src is not None:
            check_register_layout(self, self.src.type, memory, "source")
        check_allocation(memory, self.src)

    def memory_effects(self) -> Effect:
        placed = "tensor_memory_col_offset" in self.attributes
        return allocation_effects(self, self.src, placed=placed)


@operation
class TMEMLoadOp(Op):
    """Load a buffer into a tensor; with `redOp`, also reduce each row to one element.

    `abs` reduces absolute values; `NaN` propagates NaN.

    `%x, %t = ttng.tmem_load %m[%dep] : !ttg.memdesc<…> -> tensor<128x64xf32, #linear>`
    """

    name = "ttng.tmem_load"
    src = operand_def(MEMDESC)
    optionals = var_operand_def(ASYNC_TOKEN)
    redOp = opt_prop_def(ReduceModifierAttr)
    abs = opt_prop_def(TypedInteger(types.i1))
    NaN = opt_prop_def(TypedInteger(types.i1))
    result = result_def(TENSOR)
    token = opt_result_def(ASYNC_TOKEN)
    red = opt_result_def(TENSOR)
    traits = traits_def(MemoryReadEffect())
    irdl_options = (AttrSizedResultSegments(as_property=True),)
    OPTIONALS: ClassVar[tuple[str, ...]] = ("dep",)
    RESULT_NAMES: ClassVar[tuple[str, ...]] = ("result", "token", "red")
    CUSTOM: ClassVar = {"Token": TokenDirective("dep", "token")}
    FORMAT: ClassVar[str] = (
        "$src `` custom<Token> attr-dict `:` type($src) `->` type($result) (`,` type($red)^)?"
    )

    @property
    def dep(self) -> SSAValue | None:
        return self.operand_or_none(1)

    def verify_(self) -> None:
        memory = memdesc_type(self, self.src)
        if not isinstance(memory.memory_space, TensorMemoryAttr):
            raise VerifyException("source must be a tensor memory buffer.")
        if not isinstance(memory.encoding, TensorMemoryEncoding):
            raise VerifyException("should use tensor memory encoding.")
        check_register_layout(self, self.results[0].type, memory, "result")
        self._verify_reduction(memory)
        check_same_data(memory, self.results[0].type)

    def _verify_reduction(self, memory: MemDescType) -> None:
        """Require `redOp` and a result for it, elements of f32, and whole rows in a thread."""
        if self.redOp is not None and self.red is None:
            raise VerifyException("redOp is set but 'red' result is not present")
        if self.red is not None and self.redOp is None:
            raise VerifyException("'red' result is present but redOp is not set")
        modifiers = (("abs", self.abs), ("NaN", self.NaN))
        used = [name for name, flag in modifiers if flag is not None and flag.value.data]
        for name in used:
            if self.redOp is None:
                raise VerifyException(f"'{name}' requires 'redOp' to be set")
        for name in used:
            if memory.element_type != types.f32:
                raise VerifyException(f"'{name}' requires floating-point element type (f32)")
        if self.redOp is None:
            return
        type_ = self.results[0].type
        encoding = types.encoding(type_)
        if encoding is None or memory.encoding is None:
            raise VerifyException("failed to compute TMEM encoding info")
        shape, bits = types.shape(type_), types.bit_width(type_)
        plan = plan_tensor_memory_access(encoding, memory.encoding, shape, bits)
        if plan.packs_columns:
            raise VerifyException("tmem_load reduction requires packed format (unpacked=false)")
        registers = encoding.linear(shape).bases["register"]
        columns = sum(1 for vector in registers if vector[1])
        if any(vector[0] for vector in registers) or 1 << columns != shape[1]:
            raise VerifyException(
                "tmem_load reduction with N dimension sharded across threads is not supported."
            )


@operation
class TMEMStoreOp(Op):
    """Store a tensor into a buffer, if `pred` is true.

    `%t = ttng.tmem_store %x, %m[%dep], %p : tensor<128x64xf32, #linear> -> !ttg.memdesc<…>`
    """

    name = "ttng.tmem_store"
    dst = operand_def(MEMDESC)
    dep = opt_operand_def(ASYNC_TOKEN)
    src = operand_def(TENSOR)
    pred = operand_def(I1)
    token = opt_result_def(ASYNC_TOKEN)
    traits = traits_def(MemoryWriteEffect())
    CUSTOM: ClassVar = {"Token": TokenDirective("dep", "token")}
    FORMAT: ClassVar[str] = (
        "$src `,` $dst `` custom<Token> `,` $pred attr-dict `:` type($src) `->` type($dst)"
    )
    INFER: ClassVar[Infer] = {"pred": fixed(types.i1)}

    def verify_(self) -> None:
        memory = memdesc_type(self, self.dst)
        if not isinstance(memory.encoding, TensorMemoryEncoding | TensorMemoryScalesEncoding):
            raise VerifyException("should use tensor memory encoding.")
        if not memory.is_mutable:
            raise VerifyException("Cannot store into an immutable alloc")
        check_register_layout(self, self.src.type, memory, "source")
        check_same_data(self.src.type, memory)


@operation
class TMEMSubSliceOp(Op):
    """View of the columns of a buffer that start at column N.

    `%v = ttng.tmem_subslice %m {N = 64 : i32} : !ttg.memdesc<128x128xf32, …> ->
    !ttg.memdesc<128x64xf32, …, 128x128>`
    """

    name = "ttng.tmem_subslice"
    src = operand_def(MEMDESC)
    N = i32_prop()
    result = result_def(MEMDESC)
    traits = traits_def(Pure())
    FORMAT: ClassVar[str] = "$src attr-dict `:` type($src) `->` type($result)"

    def verify_(self) -> None:
        before, after = memdesc_type(self, self.src), memdesc_type(self, self.result)
        source, result = before.encoding, after.encoding
        if not isinstance(source, TensorMemoryEncoding):
            raise VerifyException("The source must be a tensor memory buffer.")
        if not isinstance(result, TensorMemoryEncoding):
            raise VerifyException("The destination must be a tensor memory buffer.")
        if _block(source) != _block(result):
            raise VerifyException(
                "The destination must have the same block size and CTASplit size as the source."
            )


@operation
class TMEMCopyOp(Op):
    """Issue an asynchronous copy from shared to tensor memory, which arrives on the mbarrier.

    `ttng.tmem_copy %s, %m, %barrier : !ttg.memdesc<…>, !ttg.memdesc<…>, !ttg.memdesc<1xi64, …>`
    """

    name = "ttng.tmem_copy"
    src = operand_def(MEMDESC)
    dst = operand_def(MEMDESC)
    optionals = var_operand_def(MEMDESC)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    OPTIONALS: ClassVar[tuple[str, ...]] = ("barrier",)
    FORMAT: ClassVar[str] = "$src `,` $dst (`,` $barrier^)? attr-dict `:` type(operands)"

    @property
    def barrier(self) -> SSAValue | None:
        return self.operand_or_none(2)

    def verify_(self) -> None:
        source, memory = memdesc_type(self, self.src), memdesc_type(self, self.dst)
        if not isinstance(source.memory_space, SharedMemoryAttr):
            raise VerifyException("The source must be a shared memory buffer")
        if source.shape != memory.shape:
            raise VerifyException(
                f"source shape {_list(source.shape)} must match destination shape "
                f"{_list(memory.shape)}"
            )
        if self.barrier is not None:
            barrier = memdesc_type(self, self.barrier)
            if not isinstance(barrier.memory_space, SharedMemoryAttr):
                raise VerifyException("The optional barrier should be a shared memory buffer")
        if not memory.is_mutable:
            raise VerifyException("Cannot copy into an immutable alloc")
        encoding = source.encoding
        if encoding is None or shared_alignment(encoding) < _DESCRIPTOR_ALIGNMENT:
            raise VerifyException(
                "Source must have at least 16-byte alignment to be representable in a matrix "
                "descriptor."
            )
        if lookup_num_ctas(self) != 1:
            raise VerifyException("NYI: Only one CTA is supported for now.")
        self._verify_encodings(encoding, memory)

    def _verify_encodings(self, source: Encoding, memory: MemDescType) -> None:
        """Require swizzled 32-bit elements for a matrix, and no swizzle for scales."""
        nvmma = source if isinstance(source, NvmmaSharedEncoding) else None
        if nvmma is not None and (nvmma.transposed or nvmma.fp4_padded):
            raise VerifyException("The source should not be transposed or padded")
        is_swizzled = nvmma is None or nvmma.swizzling_byte_width != 0
        if isinstance(memory.encoding, TensorMemoryScalesEncoding):
            if nvmma is not None and is_swizzled:
                raise VerifyException("The source should not be swizzled for now")
            return
        if not isinstance(memory.encoding, TensorMemoryEncoding):
            raise VerifyException("Incorrect tmem layout.")
        if memory.encoding.block_m != _ROWS:
            raise VerifyException("Tmem layout must have blockM=128.")
        if not is_swizzled:
            raise VerifyException("Source layout should be swizzled.")
        if types.bit_width(memdesc_type(self, self.src).element_type) != _WORD_BITS:
            raise VerifyException("Source element type should be 32-bit.")


OPERATIONS = (TMEMAllocOp, TMEMLoadOp, TMEMStoreOp, TMEMSubSliceOp, TMEMCopyOp)
