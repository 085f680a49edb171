"""Barriers between accesses to shared memory, as Triton's Membar inserts them. No passes.

accesses           slices of memory, the accesses since the last barrier
memory_effects     which buffers an operation reads and writes, as Triton declares it
insertion          the worklist of segments of code between branches
cta_barriers       `ttg.barrier local` between the threads of a CTA
cluster_barriers   `ttng.cluster_arrive` and `ttng.cluster_wait` between the CTAs of a cluster

weft's code generation finds its barriers in `weft.analysis.hazards`, which knows the asynchronous
units and needs fewer of them. These are for passes that insert what Triton inserts.
"""

from __future__ import annotations

from weft.passes.membar.cluster_barriers import insert_cluster_barriers
from weft.passes.membar.cta_barriers import (
    amd_needs_no_barrier,
    insert_cta_barriers,
    nvidia_needs_no_barrier,
)

__all__ = [
    "amd_needs_no_barrier",
    "insert_cluster_barriers",
    "insert_cta_barriers",
    "nvidia_needs_no_barrier",
]
