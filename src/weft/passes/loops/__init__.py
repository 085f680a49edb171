"""Passes over TTGIR that overlap the iterations of loops, on NVIDIA's chips.

    assign_latencies → schedule_loops → pipeline          software pipelining
    optimize_accumulator_init, hoist_tmem_alloc           accumulators in tensor memory, before it
    automatic_warp_specialization                         runs partition_scheduling, the passes of
                                                          `nvws` and partition_loops
    optimize_partition_warps                              after it

Those for AMD's chips are in `amd`. What all share is in `pipelining`.
"""
