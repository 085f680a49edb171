"""Simulate a GPU: run the LLVM IR that code generation printed, on every lane of a block.

The simulator reads the same text that LLVM compiles to machine code, and models what the chips do
between lanes: shuffles, barriers, shared memory, matrix instructions and asynchronous copies. All
threads of a block advance in lock step, on arrays with one row per thread. Lock step would hide
missing barriers and waits, so the simulator checks for races and completes asynchronous operations
as late as the ISA allows.

    launch.py         run a kernel: arguments, grid, report
    scheduler.py      run a block: branches, barriers, the blocks of a cluster in turns
    segments.py       split a kernel where threads may diverge or wait
    block.py          the state of a block
    counters.py       instructions, sectors and wavefronts, by source line
    diagnostics.py    races and deadlocks, with source locations, as text and as JSON
    registry.py       intrinsics and inline assembly → steps
    llvm_ir/          the parser, and a step for each instruction
    memory/           loads, stores, atomics, ldmatrix
    async_copy/       cp.async, TMA, AMD's copies to LDS, TDM
    synchronization/  mbarriers, cluster barriers, race detection
    matrix/           mma.sync, wgmma, tcgen05, MFMA, WMMA
    warp/             thread indices, shuffles, reductions
    math/             arithmetic intrinsics and the vendors' libraries
"""

from __future__ import annotations

from weft.simulator.async_copy.tensormap import Pointer, TensorMap
from weft.simulator.counters import Count, Counters, LineCount
from weft.simulator.diagnostics import DeadlockError, RaceError, SimulatorError
from weft.simulator.launch import Report, run, run_module

__all__ = [
    "Count",
    "Counters",
    "DeadlockError",
    "LineCount",
    "Pointer",
    "RaceError",
    "Report",
    "SimulatorError",
    "TensorMap",
    "run",
    "run_module",
]
