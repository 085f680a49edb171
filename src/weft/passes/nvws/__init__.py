"""Passes on nvws: communication between the partitions of a warp-specialized loop.

insert_aref          values that pass between partitions go through buffers in shared memory
insert_tmem_aref     accumulators in TMEM that several partitions access
hoist_tmem_store     move the allocation of an accumulator out of the loop
assign_stage_phase   which buffer, and which phase of its mbarrier, an access is for
lower_aref           asynchronous references become buffers and mbarriers
lower_warp_group     groups of warps become ttg.warp_specialize
"""
