"""MMAs of Blackwell, which run asynchronously and accumulate in tensor memory.

mma_v5                 whether the operands stay as they are while an MMA runs
tmem_accumulators      how a loop uses the accumulator
"""
