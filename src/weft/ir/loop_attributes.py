"""The attributes of `scf.for` by which `tl.range` asks for transformations of a loop.

    for k in tl.range(0, n, num_stages=4):   →   scf.for … {tt.num_stages = 4 : i32}

keyword of tl.range          attribute                       read by
num_stages                   tt.num_stages                   the software pipeliner
loop_unroll_factor           tt.loop_unroll_factor           triton-loop-unroll
flatten                      tt.flatten                      tritongpu-fuse-nested-loops
warp_specialize              tt.warp_specialize              warp specialization
disallow_acc_multi_buffer    tt.disallow_acc_multi_buffer    what gives accumulators several buffers
disable_licm                 llvm.loop_annotation            LLVM, as metadata of the loop

Names and meaning are Triton's.
"""

from __future__ import annotations

__all__ = [
    "DISABLE_LICM",
    "DISALLOW_ACC_MULTI_BUFFER",
    "FLATTEN",
    "LOOP_UNROLL_FACTOR",
    "NUM_STAGES",
    "WARP_SPECIALIZE",
]

DISABLE_LICM = "llvm.loop_annotation"
DISALLOW_ACC_MULTI_BUFFER = "tt.disallow_acc_multi_buffer"
FLATTEN = "tt.flatten"
LOOP_UNROLL_FACTOR = "tt.loop_unroll_factor"
NUM_STAGES = "tt.num_stages"
WARP_SPECIALIZE = "tt.warp_specialize"
