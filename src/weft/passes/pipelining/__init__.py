"""What passes that overlap the iterations of loops share. The passes are in `loops`, `amd`, `nvws`.

Loops and their schedules
    loop_queries           users, definitions and operands across iterations
    loop_signature, sink_redefinition      add iter_args, and results of control flow
    loop_schedule, cluster_list            stage and cluster of each operation, as attributes
    latencies              latencies as attributes
    schedule_completion    stages of the operations that a schedule does not have yet
    amd_schedules          the two kinds of schedules on AMD's chips
    stage_builder          creates operations with a stage and a cluster
Which loads and MMAs overlap
    load_levels            loads by the number of loads that depend on them
    copy_width             whether a load is wide enough for cp.async
    mma_v5, tmem_accumulators              operands and accumulators of Blackwell's MMAs
    decision_records       why a loop or load is pipelined or not, for `weft explain`
Expansion
    expander, pipelined_loop, kernel_loop  prologue, kernel and epilogue
    predication            operations that run under a predicate
    peel_epilogue          the last iteration as a conditional
Memory of several iterations
    buffers, shared_encodings              multi-buffers in shared memory, and their layouts
    async_copies, async_waits              cp.async, and how many groups a wait leaves pending
    mbarriers              one mbarrier for each buffer
    tma_descriptors        descriptors that a loop makes
Warp specialization
    partitions             which groups of warps run an operation, as attributes
    arefs                  buffers that partitions write and read in turn
"""
