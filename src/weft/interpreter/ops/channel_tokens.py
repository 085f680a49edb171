"""Tokens of the channels between partitions: one per buffer, which says who may access it.

    nvws.producer_acquire %t, %i, %phase   wait until buffer i is empty
    nvws.producer_commit  %t, %i           it is full
    nvws.consumer_wait    %t, %i, %phase   wait until it is full
    nvws.consumer_release %t, %i           it is empty

A token is a pair of mbarriers. Producers and consumers count the same phases; an acquire waits for
the phase before, so that the first one finds the buffers empty. A channel has one producer and one
consumer, so that one commit and one release complete a phase.

A commit of `cp.async` copies takes effect when the copies before it complete. TMA copies do not use
the token: they signal another mbarrier.
Source: Triton, NVWSOps.td and WSLowerToken.cpp.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from weft.interpreter.mbarrier import Mbarrier
from weft.interpreter.program_batch import Batch
from weft.interpreter.properties import int_of
from weft.interpreter.registry import Evaluate, effect
from weft.interpreter.values import Value, dense
from weft.ir import locations, nvws

_ASYNC_LOAD = 1  # loadType of cp.async copies


class _Tokens:
    """The tokens of a channel.

    Attributes:
        empty: An mbarrier per buffer, which the consumer arrives on.
        full: An mbarrier per buffer, which the producer arrives on.
        has_async_loads: Whether `cp.async` copies fill the buffers.
    """

    __slots__ = ("empty", "full", "has_async_loads")

    def __init__(self, count: int, has_async_loads: bool) -> None:
        self.empty = [Mbarrier(1) for _ in range(count)]
        self.full = [Mbarrier(1) for _ in range(count)]
        self.has_async_loads = has_async_loads


@effect(nvws.CreateTokenOp)
def create(op: Operation) -> Evaluate:
    """Create the tokens of a channel; all buffers are empty."""
    count, has_async_loads = int_of(op, "numBuffers"), int_of(op, "loadType") == _ASYNC_LOAD
    return lambda batch: _Tokens(count, has_async_loads)


@effect(nvws.ProducerAcquireOp, nvws.ConsumerWaitOp)
def wait(op: Operation) -> Evaluate:
    """Wait until a buffer is empty, or full."""
    location, is_producer = locations.position(op.location), isinstance(op, nvws.ProducerAcquireOp)

    def run(batch: Batch, tokens: _Tokens, index: Value, phase: Value) -> None:
        number, parity = int(dense(index).item()), int(dense(phase).item()) & 1
        mbarrier = (tokens.empty if is_producer else tokens.full)[number]
        batch.async_operations.wait_for_phase(mbarrier, parity ^ is_producer, location)

    return run


@effect(nvws.ProducerCommitOp)
def commit(op: Operation) -> Evaluate:
    """Signal that a buffer is full, once the copies that were started before are complete."""
    location = locations.position(op.location)

    def run(batch: Batch, tokens: _Tokens, index: Value) -> None:
        state, mbarrier = batch.async_operations, tokens.full[int(dense(index).item())]
        if tokens.has_async_loads:
            mbarrier.arrive_later(state.pending_copies(), 1, location)
        else:
            mbarrier.arrive(1, location)
        state.switch()

    return run


@effect(nvws.ConsumerReleaseOp)
def release(op: Operation) -> Evaluate:
    """Signal that a buffer is empty."""
    location = locations.position(op.location)

    def run(batch: Batch, tokens: _Tokens, index: np.ndarray) -> None:
        tokens.empty[int(dense(index).item())].arrive(1, location)
        batch.async_operations.switch()

    return run
