"""Asynchronous references: buffers with a producer and consumers, before they become mbarriers.

    nvws.aref.put.enter %r[%n, %p]   wait until stage n can be written
    nvws.aref.put.exit  %r[%n]       it holds data, once operations of some kinds are complete
    nvws.aref.get.enter %r[%n, %p]   wait until stage n holds data
    nvws.aref.get.exit  %r[%n]       it can be written, once operations of some kinds are complete

Until a pass assigns stages and phases, puts take the stages in turn, and a get reads the newest
put. The token of an access is the number of its stage.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation, SSAValue

from weft.errors import LaunchError, Location
from weft.interpreter.mbarrier import Mbarrier
from weft.interpreter.ops.memory_descriptors import buffer_of
from weft.interpreter.ops.tensor_descriptors import Tile, make_row_load, make_tile_load
from weft.interpreter.program_batch import Batch
from weft.interpreter.registry import Evaluate, effect
from weft.interpreter.values import Bundle, Value, dense
from weft.ir import locations, nvws, ttg, types
from weft.ir.attributes import array_values
from weft.layouts import TensorMemoryScalesEncoding

_PARTITION = "ttg.partition"
_ARRIVE_AT_ONCE = ("none", "wgmma")
_ARRIVE_AFTER_MMAS = ("tc5mma", "tmem_copy")

_Enter = nvws.ArefPutEnterOp | nvws.ArefGetEnterOp
_Exit = nvws.ArefPutExitOp | nvws.ArefGetExitOp


class _Aref:
    """An asynchronous reference.

    Attributes:
        buffers: The buffers, and whether each has one per stage.
        empty: An mbarrier per stage, which readers arrive on.
        full: An mbarrier per stage, which writers arrive on.
        puts: The number of puts that were entered without a stage.
    """

    __slots__ = ("buffers", "empty", "full", "puts")

    def __init__(
        self, buffers: Sequence[tuple[np.ndarray, bool]], depth: int, readers: int, writers: int
    ) -> None:
        self.buffers = buffers
        self.empty = [Mbarrier(readers) for _ in range(depth)]
        self.full = [Mbarrier(writers) for _ in range(depth)]
        self.puts = 0

    def views(self, stage: int) -> list[np.ndarray]:
        """Select the buffers of a stage."""
        return [buffer[:, stage] if staged else buffer for buffer, staged in self.buffers]

    def slot_of_next_put(self) -> tuple[int, int]:
        """Compute the stage and phase of the next put."""
        turn, stage = divmod(self.puts, len(self.full))
        self.puts += 1
        return stage, (turn + 1) & 1

    def slot_of_newest_put(self, location: Location | None) -> tuple[int, int]:
        """Compute the stage and phase of a get.

        Raises:
            LaunchError: Nothing was put.
        """
        if not self.puts:
            raise LaunchError("a get from a reference without data", location=location)
        turn, stage = divmod(self.puts - 1, len(self.full))
        return stage, turn & 1


@effect(nvws.ArefCreateOp)
def create(op: Operation) -> Evaluate:
    """Create a reference; its users say how many signals complete a phase."""
    assert isinstance(op, nvws.ArefCreateOp)
    staged = [not _holds_scales(buffer) for buffer in op.buffers]
    depth = next(
        (buffer_of(b)[0][0] for b, many in zip(op.buffers, staged, strict=True) if many), 1
    )
    readers, writers = (_count_signals(op, kind) for kind in (_GET, _PUT))

    def run(batch: Batch, *buffers: np.ndarray) -> _Aref:
        return _Aref(list(zip(buffers, staged, strict=True)), depth, readers, writers)

    return run


_GET, _PUT = nvws.ArefGetExitOp, nvws.ArefPutExitOp


def _holds_scales(buffer: SSAValue) -> bool:
    type_ = buffer.type
    return isinstance(type_, ttg.MemDescType) and isinstance(
        type_.encoding, TensorMemoryScalesEncoding
    )


def _count_signals(aref: nvws.ArefCreateOp, kind: type[_Exit]) -> int:
    """Count the signals of a phase: each kind of operation of each partition is one."""
    signals: dict[tuple[int, ...], int] = {}
    for use in aref.result.uses:
        user = use.operation
        if isinstance(user, kind) and (ids := array_values(user.attributes.get(_PARTITION))):
            signals.setdefault(ids, len(_kinds(user)))
    return sum(signals.values()) or 1


def _kinds(op: _Exit) -> list[str]:
    kinds = op.properties["async_ops"]
    assert isinstance(kinds, ArrayAttr)
    return [kind.text for kind in kinds if isinstance(kind, nvws.AsyncOpAttr)]


@effect(nvws.ArefPutEnterOp, nvws.ArefGetEnterOp)
def enter(op: Operation) -> Evaluate:
    """Wait until a stage can be accessed; return its buffers and the token."""
    assert isinstance(op, _Enter)
    location, writes = locations.position(op.location), isinstance(op, nvws.ArefPutEnterOp)
    assigned = op.stage is not None

    def run(batch: Batch, aref: _Aref, *slot: np.ndarray) -> tuple[np.ndarray, ...]:
        if assigned:
            stage, phase = (int(dense(value).item()) for value in slot)
        elif writes:
            stage, phase = aref.slot_of_next_put()
        else:
            stage, phase = aref.slot_of_newest_put(location)
        mbarrier = (aref.empty if writes else aref.full)[stage]
        batch.async_operations.wait_for_phase(mbarrier, phase & 1, location)
        return (*aref.views(stage), np.array([stage]))

    return run


@effect(nvws.ArefPutExitOp, nvws.ArefGetExitOp)
def leave(op: Operation) -> Evaluate:
    """Signal the other side when the operations of some kinds are complete."""
    assert isinstance(op, _Exit)
    location, kinds = locations.position(op.location), _kinds(op)
    writes = isinstance(op, nvws.ArefPutExitOp)

    def run(batch: Batch, aref: _Aref, token: np.ndarray, stage: Value | None = None) -> None:
        state = batch.async_operations
        number = int(dense(token if stage is None else stage).item())
        mbarrier = (aref.full if writes else aref.empty)[number]
        for kind in kinds:
            if kind in _ARRIVE_AT_ONCE:
                mbarrier.arrive(1, location)
            elif kind in _ARRIVE_AFTER_MMAS:
                state.arrive_after_mmas(mbarrier, location)
            elif kind == "tma_load":
                mbarrier.arrive_later(state.take_loads(aref.views(number)), 1, location)
            else:
                mbarrier.arrive_later(state.pending_copies(), 1, location)
        state.switch()

    return run


@effect(nvws.ArefBufferOp)
def buffers_of(op: Operation) -> Evaluate:
    """Select the buffers of a stage."""
    has_several = len(op.results) > 1

    def run(batch: Batch, aref: _Aref, token: np.ndarray, stage: Value | None = None) -> object:
        views = aref.views(int(dense(token if stage is None else stage).item()))
        return views if has_several else views[0]

    return run


@effect(nvws.DescriptorLoadOp)
def load(op: Operation) -> Evaluate:
    """Start a TMA load into a buffer, which the exit of the put completes."""
    assert isinstance(op, nvws.DescriptorLoadOp)
    read = make_tile_load(op, Tile(op.desc.type), buffer_of(op.result)[0])

    def run(batch: Batch, block: Bundle, *values: np.ndarray) -> None:
        *indices, buffer = (dense(value) for value in values)
        batch.async_operations.load(buffer, read(batch, block, indices))

    return run


@effect(nvws.DescriptorGatherOp)
def gather(op: Operation) -> Evaluate:
    """Start a TMA load of rows into a buffer, which the exit of the put completes."""
    assert isinstance(op, nvws.DescriptorGatherOp)
    read = make_row_load(op, Tile(op.desc.type), types.shape(op.x_offsets.type)[0])

    def run(batch: Batch, block: Bundle, x: Value, y: np.ndarray, buffer: np.ndarray) -> None:
        batch.async_operations.load(buffer, read(batch, block, x, y))

    return run
