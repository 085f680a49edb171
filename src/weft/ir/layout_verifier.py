"""Verify that layouts match the thread hierarchy of the module.

    module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, …}
      tensor<64x32xf16, #blocked>     #blocked has rank 2 and distributes over 4 warps of 32 threads
      tt.func … attributes {"ttg.num-warps" = 8 : i32}     in this function, over 8 warps
      ttg.warp_specialize … partition0() num_warps(2)      in this region, over 2 warps

As in Triton, the operands and results of the operations of some dialects are verified. A warp has
32 threads and a cluster one CTA unless the module says otherwise.

Source: Triton, verifyTensorLayout and verifyMemDescLayout in lib/Dialect/TritonGPU/IR/Dialect.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod

from msgspec import Struct, field
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from weft.errors import LayoutError
from weft.ir import attributes, tt, ttg, types
from weft.ir.module_attributes import DEFAULT_THREADS_PER_WARP
from weft.layouts import (
    AmdMfmaEncoding,
    AmdRotatingSharedEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    NvmmaSharedEncoding,
    PaddedSharedEncoding,
    SharedLinearEncoding,
    SliceEncoding,
    SwizzledSharedEncoding,
)

__all__ = ["MAX_TENSOR_ELEMENTS", "LayoutVerifier", "ThreadHierarchy", "thread_hierarchy"]


class ThreadHierarchy(Struct, frozen=True):
    """The threads that a layout distributes over, or that a module runs on.

    Attributes:
        threads: Threads per warp; None if unknown.
        warps: Warps per CTA; None if unknown.
        blocks: CTAs per cluster; None if unknown.
    """

    threads: int | None
    warps: int | None
    blocks: int | None


# field of ThreadHierarchy, attribute of the module, and Triton's words for a mismatch
_LEVELS = (
    ("threads", "ttg.threads-per-warp", "threads per warp", "module specifies"),
    ("warps", "ttg.num-warps", "warps per CTA", "context requires"),
    ("blocks", "ttg.num-ctas", "CTAs per CGA", "context requires"),
)


@lru_cache(maxsize=4096)
def thread_hierarchy(encoding: Encoding) -> ThreadHierarchy | None:
    """Compute the threads that a layout distributes over, None if it is no distributed layout."""
    if isinstance(encoding, SliceEncoding | DotOperandEncoding):
        return thread_hierarchy(encoding.parent)
    if isinstance(encoding, LinearEncoding):
        lane, warp, block = (1 << len(b) for b in (encoding.lane, encoding.warp, encoding.block))
        return ThreadHierarchy(lane, warp, block)
    if isinstance(encoding, AmdWmmaEncoding):
        return ThreadHierarchy(32, 1 << len(encoding.warp), 1 << len(encoding.cga_layout))
    if isinstance(encoding, BlockedEncoding):
        threads = prod(encoding.threads_per_warp)
    elif isinstance(encoding, NvidiaMmaEncoding | AmdMfmaEncoding):
        threads = 32 if isinstance(encoding, NvidiaMmaEncoding) else 64
    else:
        return None
    return ThreadHierarchy(threads, prod(encoding.warps_per_cta), 1 << len(encoding.cga_layout))


_DIALECTS = ("tt.", "ttg.", "ttng.", "gluon.")
"""The dialects whose operations have Triton's trait VerifyTensorLayoutsTrait."""


def _module_hierarchy(module: ModuleOp) -> ThreadHierarchy:
    """Read the threads that a module runs on from its attributes."""
    return ThreadHierarchy(*(_count(module, key) for _, key, _, _ in _LEVELS))


def _count(module: ModuleOp, key: str) -> int | None:
    value = module.attributes.get(key)
    return value.value.data if isinstance(value, IntegerAttr) else _DEFAULTS.get(key)


_WMMA_SIZE = 16  # rows and columns of an instruction's result
MAX_TENSOR_ELEMENTS = 1 << 20
"""The number of elements that a tensor of an operation of the dialect `tt` may have."""

_MAX_BUFFER_ELEMENTS = (1 << 31) - 1  # their indices are signed integers of 32 bits
_DEFAULTS = {"ttg.threads-per-warp": DEFAULT_THREADS_PER_WARP, "ttg.num-ctas": 1}


class LayoutVerifier(Struct):
    """Verifies the layouts of one module.

    A module has few distinct types, so types that were verified are remembered together with the
    number of warps of their region.

    Attributes:
        module: The module.
    """

    module: ModuleOp
    _verified: set[tuple[Attribute, int | None]] = field(default_factory=set)

    def operations(self) -> Iterator[tuple[Operation, ThreadHierarchy]]:
        """Yield each operation of the module with the threads that run it, parents first."""
        stack: list[tuple[Operation, ThreadHierarchy]] = [
            (self.module, ThreadHierarchy(None, None, None))
        ]
        while stack:
            op, hierarchy = stack.pop()
            if isinstance(op, ModuleOp):
                hierarchy = _module_hierarchy(op)
            yield op, hierarchy
            if not op.regions:
                continue
            if isinstance(op, tt.FuncOp):
                warps = attributes.number(op.attributes.get("ttg.num-warps"))
                if warps is not None:
                    hierarchy = ThreadHierarchy(hierarchy.threads, int(warps), hierarchy.blocks)
            partition_warps: tuple[int, ...] = ()
            if isinstance(op, ttg.WarpSpecializePartitionsOp):
                specialize = op.parent_op()
                if isinstance(specialize, ttg.WarpSpecializeOp):
                    partition_warps = specialize.num_warps
            nested: list[tuple[Operation, ThreadHierarchy]] = []
            for index, region in enumerate(op.regions):
                inner = hierarchy
                if index < len(partition_warps):
                    inner = ThreadHierarchy(
                        hierarchy.threads, partition_warps[index], hierarchy.blocks
                    )
                for block in region.blocks:
                    nested += [(child, inner) for child in block.ops]
            stack.extend(reversed(nested))

    def verify(self, op: Operation, hierarchy: ThreadHierarchy) -> None:
        """Verify the layouts, and in tt the sizes, of an operation's operands and results.

        Args:
            op: The operation.
            hierarchy: The threads that run it.

        Raises:
            VerifyException: With the layout, what it has and what is expected.
        """
        if not op.name.startswith(_DIALECTS):
            return
        for index, operand in enumerate(op.operands):
            self._verify_type(operand.type, hierarchy, f"Operand {index}")
        for index, result in enumerate(op.results):
            name = "Result" if len(op.results) == 1 else f"Result {index}"
            self._verify_type(result.type, hierarchy, name)
        if op.name.startswith("tt."):
            for value in (*op.operands, *op.results):
                _verify_size(value.type)

    def _verify_type(self, type_: Attribute, hierarchy: ThreadHierarchy, name: str) -> None:
        if (type_, hierarchy.warps) in self._verified:
            return
        encoding = types.encoding(type_)
        problem = ""
        if encoding is not None:
            problem = _tensor_problem(type_, encoding, hierarchy)
        elif isinstance(type_, ttg.MemDescType) and type_.encoding is not None:
            problem = _memdesc_problem(type_, type_.encoding, hierarchy)
        if problem:
            raise VerifyException(f"{name} has an invalid layout: {problem}")
        self._verified.add((type_, hierarchy.warps))


def _verify_size(type_: Attribute) -> None:
    """Require a power of two as the number of elements of a tensor, and a limit of it."""
    if not types.is_tensor(type_):
        return
    count = prod(types.shape(type_))
    if count > MAX_TENSOR_ELEMENTS:
        raise VerifyException(
            f"Maximum allowed number of elements is {MAX_TENSOR_ELEMENTS}, but '{type_}' has more "
            "than that"
        )
    if count & (count - 1):
        raise VerifyException(
            f"Number of elements must be power-of-two, but '{type_}' doesn't follow the rule "
            f"({count}) elements"
        )


def _tensor_problem(type_: Attribute, encoding: Encoding, hierarchy: ThreadHierarchy) -> str:
    """Describe what is wrong with the layout of a tensor, "" if nothing is."""
    if encoding.family == "unresolved":
        return ""
    if encoding.family != "distributed":
        return f"{encoding}. Non-distributed layout is not allowed in tensor type."
    shape = types.shape(type_)
    if encoding.rank != len(shape):
        return (
            f"{encoding}. Layout has rank {encoding.rank}, but the tensor it's attached to has "
            f"rank {len(shape)}."
        )
    if any(size <= 0 or size & (size - 1) for size in shape):
        return f"the tensor has shape {list(shape)}, which is not a power of two."
    distribution = thread_hierarchy(encoding)
    if distribution is None:
        return ""
    if hierarchy.warps is None:
        return (
            "Could not determine the number of warps per CTA. Operation is not in a context with "
            "`ttg.num-warps`."
        )
    for name, _, unit, requirement in _LEVELS:
        expected, count = getattr(hierarchy, name), getattr(distribution, name)
        if expected != count:
            return (
                f"{encoding}. Layout has {count} {unit}, but the {requirement} {expected} {unit}."
            )
    if isinstance(encoding, AmdWmmaEncoding) and any(1 < size < _WMMA_SIZE for size in shape[-2:]):
        return f"{encoding}. Unsupported tensor shape for given wmma layout"
    try:
        encoding.linear(shape)
    except LayoutError as error:
        return f"{encoding}. {error.message}"
    return ""


def _memdesc_problem(type_: ttg.MemDescType, encoding: Encoding, hierarchy: ThreadHierarchy) -> str:
    """Describe what is wrong with the layout of a buffer, "" if nothing is."""
    if encoding.family == "unresolved":
        return ""
    if prod(type_.allocated[-encoding.rank :]) > _MAX_BUFFER_ELEMENTS:
        return f"{encoding}."
    bases = _block_bases(encoding)
    if bases is None:
        return ""
    if 1 << len(bases) != hierarchy.blocks:
        return (
            f"{encoding}. Layout has {1 << len(bases)} CTAs per CGA, but the context requires "
            f"{hierarchy.blocks} CTAs per CGA."
        )
    split = 1 << sum(any(vector) for vector in bases)
    count = prod(type_.allocated[-encoding.rank :])
    if split > count:
        return (
            f"{encoding}. Layout has tensor size at least {split}, but the memdesc type has "
            f"{count} elements."
        )
    return ""


def _block_bases(encoding: Encoding) -> tuple[tuple[int, ...], ...] | None:
    """List the basis vectors over the CTAs of a cluster, None if the encoding has none."""
    if isinstance(encoding, SharedLinearEncoding | PaddedSharedEncoding):
        return encoding.block
    if isinstance(
        encoding, SwizzledSharedEncoding | AmdRotatingSharedEncoding | NvmmaSharedEncoding
    ):
        return encoding.cga_layout
    return None
