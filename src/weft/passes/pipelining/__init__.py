"""What software-pipelining passes share: schedules of loops, buffers, and the loop expander.

    loop_schedule          stage and cluster of each operation of a loop, and their attributes
    schedule_completion    stages of the operations that a schedule does not have yet
    expander               prologue, kernel and epilogue of a loop with a schedule
    predication            operations that run under a predicate

The passes themselves are in `passes/loops` (both vendors) and `passes/amd`.
"""
