"""What passes that overlap the iterations of loops share. The passes are in `loops`, `amd`, `nvws`.

    loop_queries           users, definitions and operands across iterations
    loop_signature         adds iter_args to a loop
    sink_redefinition      makes a value that a region redefines available after it
    schedule/              a stage and a cluster of each operation
    decision_records       why a loop or load is pipelined or not, for `weft explain`
    loads/                 which loads are pipelined, and the layout of their buffers
    buffers/               memory for several iterations, asynchronous copies, mbarriers
    expansion/             a loop with a schedule becomes prologue, kernel and epilogue
    blackwell/             operands and accumulators of MMAs that run asynchronously
    amd_schedules          the two kinds of schedules on AMD's chips
    partitions/            which groups of warps run an operation, and how they communicate

Modules import only what is above them in this list.
"""
