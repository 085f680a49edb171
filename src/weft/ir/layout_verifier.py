"""Verify that layouts match the thread hierarchy of the module and one another.

    module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, …}
      tensor<64x32xf16, #blocked>     #blocked has rank 2 and distributes over 4 warps of 32 threads
      ttg.warp_specialize … partition0() num_warps(2)     in this region, over 2 warps
      tt.func … attributes {"ttg.num-warps" = 8 : i32}            in this function, over 8 warps
  tt.dot %a, %b, %c               dot operands 0 and 1, whose parent is the layout of the result
      tt.reduce … {axis = 1}          the result is sliced from the layout of the source along 1

A module without `ttg.num-warps` is TTIR; only ranks are verified there. As in Triton, operands and
results must fit the thread hierarchy if the operation is of Triton's dialects. A function may have
an argument, and `arith.constant` a result, that is distributed over more warps than there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from math import prod

from msgspec import Struct, field
from msgspec.structs import replace
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from weft.ir import attributes, tt, ttg, types
from weft.ir.module_attributes import DEFAULT_THREADS_PER_WARP
from weft.ir.type_rules import require_same_encoding
from weft.layouts import (
    AmdMfmaEncoding,
    AmdWmmaEncoding,
    BlockedEncoding,
    DotOperandEncoding,
    Encoding,
    LinearEncoding,
    NvidiaMmaEncoding,
    SliceEncoding,
)

__all__ = ["LayoutVerifier", "ThreadHierarchy", "thread_hierarchy"]


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


_ANY_HIERARCHY = ThreadHierarchy(None, None, None)
_DIALECTS = ("tt.", "ttg.", "ttng.", "gluon.")
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


class LayoutVerifier(Struct):
    """Verifies the layouts of one module.

    A module has few distinct types, so types that were verified are remembered together with the
    threads of their region.

    Attributes:
        module: The module.
    """

    module: ModuleOp
    _verified: set[tuple[Attribute, ThreadHierarchy]] = field(default_factory=set)

    def operations(self) -> Iterator[tuple[Operation, ThreadHierarchy]]:
        """Yield each operation of the module with the threads that run it, parents first."""
        counts = [attributes.number(self.module.attributes.get(key)) for _, key, _, _ in _LEVELS]
        threads, warps, blocks = (None if count is None else int(count) for count in counts)
        if threads is None and warps is not None:
            threads = DEFAULT_THREADS_PER_WARP
        stack: list[tuple[Operation, ThreadHierarchy]] = [
            (self.module, ThreadHierarchy(threads, warps, blocks if warps is not None else None))
        ]
        while stack:
            op, hierarchy = stack.pop()
            if isinstance(op, tt.FuncOp):
                own_warps = attributes.number(op.attributes.get("ttg.num-warps"))
                if own_warps is not None:
                    hierarchy = replace(hierarchy, warps=int(own_warps))
            yield op, hierarchy
            if not op.regions:
                continue
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
        """Verify the layouts of an operation's operands, results and block arguments.

        Args:
            op: The operation.
            hierarchy: The threads that run it.

        Raises:
            VerifyException: With the layout, what it has and what is expected.
        """
        for result in op.results:
            self._verify_type(result.type, _ANY_HIERARCHY)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    self._verify_type(argument.type, _ANY_HIERARCHY)
        if op.name.startswith(_DIALECTS):
            for value in (*op.operands, *op.results):
                self._verify_type(value.type, hierarchy)
        rule = _RULES.get(type(op))
        if rule is not None:
            rule(op)

    def _verify_type(self, type_: Attribute, hierarchy: ThreadHierarchy) -> None:
        if (type_, hierarchy) in self._verified:
            return
        encoding = types.encoding(type_)
        if encoding is not None:
            _verify_tensor(type_, encoding, hierarchy)
        elif isinstance(type_, ttg.MemDescType):
            _verify_buffer(type_)
        self._verified.add((type_, hierarchy))


def _verify_tensor(type_: Attribute, encoding: Encoding, hierarchy: ThreadHierarchy) -> None:
    if encoding.family == "unresolved":
        return
    if encoding.family != "distributed":
        raise VerifyException(f"has an invalid layout: {encoding}. Layout is not distributed.")
    rank = len(types.shape(type_))
    if encoding.rank != rank:
        raise VerifyException(
            f"has an invalid layout: {encoding}. Layout has rank {encoding.rank}, but the tensor "
            f"it's attached to has rank {rank}."
        )
    distribution = thread_hierarchy(encoding)
    if distribution is None:
        return
    for name, _, unit, requirement in _LEVELS:
        expected, count = getattr(hierarchy, name), getattr(distribution, name)
        if expected is not None and expected != count:
            raise VerifyException(
                f"has an invalid layout: {encoding}. Layout has {count} {unit}, but the "
                f"{requirement} {expected} {unit}."
            )


def _verify_buffer(type_: ttg.MemDescType) -> None:
    encoding = type_.encoding
    if encoding is None:
        return
    # Barriers and scales in tensor memory have the encodings of shared memory.
    is_shared = isinstance(type_.memory_space, ttg.SharedMemoryAttr)
    if is_shared and encoding.family != "shared":
        raise VerifyException(f"{encoding} is not a valid encoding of shared memory")
    rank = len(type_.shape)
    if rank - encoding.rank not in (0, 1):
        raise VerifyException(
            f"rank must be equal to or one less than the shape size. Got {encoding.rank} and {rank}"
        )


def _verify_dot(op: Operation) -> None:
    assert isinstance(op, tt.DotOp | tt.DotScaledOp)
    operands = types.encoding(op.a.type), types.encoding(op.b.type)
    if (operands[0] is None) != (operands[1] is None):
        raise VerifyException("mismatching encoding between A and B operands")
    if not any(isinstance(encoding, DotOperandEncoding) for encoding in operands):
        return
    result = types.encoding(op.d.type)
    for index, encoding in enumerate(operands):
        if isinstance(op, tt.DotScaledOp) and not isinstance(encoding, DotOperandEncoding):
            continue
        if not isinstance(encoding, DotOperandEncoding) or encoding.op_idx != index:
            raise VerifyException(
                f"Wrong opIdx: operand {'AB'[index]} must have a #ttg.dot_op layout with opIdx = "
                f"{index}, but got {encoding}"
            )
        # A byte holds two fp4 elements: operands of a scaled dot may have the layout of an
        # instruction with half the depth of the result's, as on gfx1250.
        if isinstance(op, tt.DotOp) and encoding.parent is not result:
            raise VerifyException(
                f"mismatching MMA encoding: operand {'AB'[index]} has parent {encoding.parent}, "
                f"the result has {result}"
            )


def _verify_expand_dims(op: Operation) -> None:
    assert isinstance(op, tt.ExpandDimsOp)
    source, result = types.encoding(op.src.type), types.encoding(op.result.type)
    if source is None or result is None or source.family == "unresolved":
        return
    if not isinstance(source, SliceEncoding):
        raise VerifyException(
            f"ExpandDimsOp operand encoding must be SliceEncodingAttr, but got {source}"
        )
    axis = op.axis.value.data
    if source.dim != axis or source.parent is not result:
        raise VerifyException(
            f"operand must have the layout #ttg.slice<{{dim = {axis}, parent = {result}}}>, but "
            f"got {source}"
        )


def _verify_reduce(op: Operation) -> None:
    assert isinstance(op, tt.ReduceOp)
    axis = op.axis.value.data
    for operand, result in zip(op.operands, op.results, strict=True):
        source, reduced = types.encoding(operand.type), types.encoding(result.type)
        if source is None or reduced is None:
            continue
        is_slice = isinstance(reduced, SliceEncoding)
        if not (is_slice and reduced.dim == axis and reduced.parent is source):
            raise VerifyException(
                f"result must have the layout #ttg.slice<{{dim = {axis}, parent = {source}}}>, but "
                f"got {reduced}"
            )


def _verify_broadcast(op: Operation) -> None:
    assert isinstance(op, tt.BroadcastOp)
    require_same_encoding(op.src.type, op.result.type)


_RULES: dict[type[Operation], Callable[[Operation], None]] = {
    tt.DotOp: _verify_dot,
    tt.DotScaledOp: _verify_dot,
    tt.ExpandDimsOp: _verify_expand_dims,
    tt.ReduceOp: _verify_reduce,
    tt.BroadcastOp: _verify_broadcast,
}
