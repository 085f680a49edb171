"""Check that layouts fit the hardware that a module is compiled for, and one another.

    module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, …}
      tensor<64x32xf16, #blocked>     blocked must have 2 dimensions, 4 warps of 32 threads
      ttg.warp_specialize … partition0() num_warps(2)     … in here, 2 warps
      tt.dot %a, %b, %c               operand 0 and operand 1 of one parent, that of the result
      tt.reduce … {axis = 1}          a slice of the source's layout along 1

A module without `ttg.num-warps` has no layouts yet (TTIR); then only ranks are checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from weft.ir import attributes, tt, ttg, types
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

__all__ = ["Hardware", "LayoutRules", "hardware_of"]


@dataclass(frozen=True, slots=True)
class Hardware:
    """How many threads of a warp, warps of a block and blocks of a cluster there are."""

    threads: int | None
    warps: int | None
    blocks: int | None


_UNITS = (
    ("threads", "threads per warp", "ttg.threads-per-warp"),
    ("warps", "warps", "ttg.num-warps"),
    ("blocks", "blocks per cluster", "ttg.num-ctas"),
)


@lru_cache(maxsize=4096)
def hardware_of(encoding: Encoding) -> Hardware | None:
    """Return the threads, warps and blocks that a layout spreads over; None if it is none."""
    if isinstance(encoding, SliceEncoding | DotOperandEncoding):
        return hardware_of(encoding.parent)
    if isinstance(encoding, LinearEncoding):
        return Hardware(1 << len(encoding.lane), 1 << len(encoding.warp), 1 << len(encoding.block))
    if isinstance(encoding, AmdWmmaEncoding):
        return Hardware(32, 1 << len(encoding.warp), 1 << len(encoding.cga_layout))
    if isinstance(encoding, BlockedEncoding):
        threads = prod(encoding.threads_per_warp)
    elif isinstance(encoding, NvidiaMmaEncoding | AmdMfmaEncoding):
        threads = 32 if isinstance(encoding, NvidiaMmaEncoding) else 64
    else:
        return None
    return Hardware(threads, prod(encoding.warps_per_cta), 1 << len(encoding.cga_layout))


@dataclass(slots=True)
class LayoutRules:
    """The rules for one module.

    Types that are known to be right are remembered with the number of warps around them: a
    module has few distinct types.
    """

    module: ModuleOp
    _right: set[tuple[Attribute, int | None]] = field(default_factory=set)

    def operations(self) -> Iterator[tuple[Operation, Hardware]]:
        """Yield each operation of the module with the hardware that it runs on."""
        given = self.module.attributes
        counts = [attributes.number(given.get(key)) for _, _, key in _UNITS]
        threads, warps, blocks = (None if count is None else int(count) for count in counts)
        stack: list[tuple[Operation, Hardware]] = [
            (self.module, Hardware(threads, warps, blocks if warps is not None else None))
        ]
        while stack:
            op, hardware = stack.pop()
            yield op, hardware
            if not op.regions:
                continue
            own: tuple[int, ...] = ()
            if isinstance(op, ttg.WarpSpecializePartitionsOp):
                parent = op.parent_op()
                own = parent.num_warps if isinstance(parent, ttg.WarpSpecializeOp) else ()
            found: list[tuple[Operation, Hardware]] = []
            for index, region in enumerate(op.regions):
                inner = hardware
                if index < len(own):
                    inner = Hardware(hardware.threads, own[index], hardware.blocks)
                for block in region.blocks:
                    found += [(child, inner) for child in block.ops]
            stack.extend(reversed(found))

    def check(self, op: Operation, hardware: Hardware) -> None:
        """Check one operation.

        Raises: VerifyException: naming the layout, what it has and what is expected.
        """
        for result in op.results:
            if (result.type, hardware.warps) not in self._right:
                self._type(op, result.type, hardware)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    if (argument.type, hardware.warps) not in self._right and not isinstance(
                        op, ttg.WarpSpecializePartitionsOp
                    ):
                        self._type(op, argument.type, hardware)
        rule = _RULES.get(type(op))
        if rule is not None:
            rule(op)

    def _type(self, op: Operation, type_: Attribute, hardware: Hardware) -> None:
        encoding = types.encoding(type_)
        if encoding is not None:
            _tensor(op, type_, encoding, hardware)
        elif isinstance(type_, ttg.MemDescType):
            _buffer(op, type_)
        self._right.add((type_, hardware.warps))


def _tensor(op: Operation, type_: Attribute, encoding: Encoding, hardware: Hardware) -> None:
    if encoding.family == "unresolved":
        return
    if encoding.family != "distributed":
        raise VerifyException(f"{op.name}: {encoding} cannot be the layout of a tensor: {type_}")
    if encoding.rank != len(types.shape(type_)):
        raise VerifyException(
            f"{op.name}: layout {encoding} has {encoding.rank} dimensions, its tensor "
            f"{len(types.shape(type_))}"
        )
    found = hardware_of(encoding)
    if found is None:
        return
    for name, unit, key in _UNITS:
        wanted, given = getattr(hardware, name), getattr(found, name)
        if wanted is not None and wanted != given:
            raise VerifyException(
                f'{op.name}: layout {encoding} has {given} {unit}, "{key}" is {wanted} here'
            )


def _buffer(op: Operation, type_: ttg.MemDescType) -> None:
    encoding = type_.encoding
    if encoding is None:
        return
    shared = isinstance(type_.memory_space, ttg.SharedMemoryAttr)
    family = "shared" if shared else "tensor_memory"
    # Barriers and scales in tensor memory share the encodings of shared memory.
    if shared and encoding.family != family:
        raise VerifyException(f"{op.name}: {encoding} cannot be the layout of {family} memory")
    if len(type_.shape) - encoding.rank not in (0, 1):
        raise VerifyException(
            f"{op.name}: layout {encoding} has {encoding.rank} dimensions, {type_} has "
            f"{len(type_.shape)}: as many, or one more in front, expected"
        )


def _dot(op: tt.DotOp | tt.DotScaledOp) -> None:
    a, b = types.encoding(op.a.type), types.encoding(op.b.type)
    if (a is None) != (b is None):
        raise VerifyException(f"{op.name}: one operand has a layout, the other has none")
    operands = (a, b)
    if not any(isinstance(e, DotOperandEncoding) for e in operands):
        return
    result = types.encoding(op.d.type)
    for index, encoding in enumerate(operands):
        if isinstance(op, tt.DotScaledOp) and not isinstance(encoding, DotOperandEncoding):
            continue
        if not isinstance(encoding, DotOperandEncoding) or encoding.op_idx != index:
            raise VerifyException(
                f"{op.name}: operand {'ab'[index]} needs a #ttg.dot_op layout with opIdx = "
                f"{index}, found {encoding}"
            )
        # Two elements of 4 bits share a byte: operands of a scaled product may be laid out for
        # an instruction of half the result's depth, as Triton's are on gfx1250.
        if isinstance(op, tt.DotOp) and encoding.parent is not result:
            raise VerifyException(
                f"{op.name}: operand {'ab'[index]} is laid out for {encoding.parent}, the "
                f"result is {result}"
            )


def _expand_dims(op: tt.ExpandDimsOp) -> None:
    before, after = types.encoding(op.src.type), types.encoding(op.result.type)
    if before is None or after is None:
        return
    axis = op.axis.value.data
    if not (isinstance(before, SliceEncoding) and before.dim == axis and before.parent is after):
        raise VerifyException(
            f"{op.name}: a slice of {after} along dimension {axis} expected, found {before}"
        )


def _reduce(op: tt.ReduceOp) -> None:
    axis = op.axis.value.data
    for source, result in zip(op.operands, op.results, strict=True):
        before, after = types.encoding(source.type), types.encoding(result.type)
        if before is None or after is None:
            continue
        if not (isinstance(after, SliceEncoding) and after.dim == axis and after.parent is before):
            raise VerifyException(
                f"{op.name}: a slice of {before} along dimension {axis} expected as result, found "
                f"{after}"
            )


def _broadcast(op: tt.BroadcastOp) -> None:
    before, after = types.encoding(op.src.type), types.encoding(op.result.type)
    if before is not after:
        raise VerifyException(f"{op.name}: the layout changes from {before} to {after}")


_RULES = {
    tt.DotOp: _dot,
    tt.DotScaledOp: _dot,
    tt.ExpandDimsOp: _expand_dims,
    tt.ReduceOp: _reduce,
    tt.BroadcastOp: _broadcast,
}
