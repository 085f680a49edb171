"""How long a block takes on a multiprocessor, from its machine code.

control_flow = read_sass(sass)                       # basic blocks, their instructions and edges
body = nest_loops(control_flow, trip_counts=(64,))   # instructions, and loops of them
time = time_block(body, warps=4, instruction_timing("cuda:90"))
time.from_l2, time.units["xu"]                       # cycles of a block alone, and of its units
"""

from weft.explain.block_time.block_time import BlockTime, time_block
from weft.explain.block_time.nested_loops import Body, Loop, nest_loops
from weft.explain.block_time.sass import ControlFlow, SassInstruction, read_sass

__all__ = [
    "BlockTime",
    "Body",
    "ControlFlow",
    "Loop",
    "SassInstruction",
    "nest_loops",
    "read_sass",
    "time_block",
]
