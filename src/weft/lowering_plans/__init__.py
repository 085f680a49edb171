"""Plan how operations with layouts become machine code, before any of it is written.

    plan = plan_reduction(op, target)        # codegen carries it out
    plan.instructions(target, num_warps)     # explain counts it

Each module has the decisions of one kind of operation: how wide an access is, by which instruction
a buffer is read, by which shuffles lanes are combined, what warps exchange through shared memory.
Code generation writes what the plan says and decides nothing else, so that counts of plans are
counts of the machine code.

instruction.py     kinds of instructions, and counts of wavefronts
operations.py      the instructions of any operation
global_access.py   vectors of global memory; atomics.py
shared_access.py   buffers of shared memory and asynchronous copies
conversion.py      layout conversions
reduction.py, scan.py, gather.py, histogram.py   shuffles, and exchanges through shared memory
dot.py             matrix instructions
registers.py, axis_runs.py, fragments.py, memdesc.py, tma_boxes.py   what several plans need
"""
