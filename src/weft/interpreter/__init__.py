"""The interpreter: it defines what TTIR means, and is the embedded device "cpu".

    run(module, "softmax", (256,), [out, x, 781, 781, 256, 781])

Kernels run on whole tiles with numpy, and many program instances at once, along a leading axis.
Functions are compiled once into lists of closures.

launch              run a kernel over a grid
compiled_module     the functions of a module, compiled on demand and cached
function_compiler   closures and value slots of one function
block_graph         control flow between blocks, for instances that take different branches
divergence          groups of instances with different conditions
values              what an SSA value holds: arrays with broadcast axes, and affine tensors
memory              the address space of a launch
async_operations    copies, MMAs and mbarriers that are not complete
partitions          warp specialization: partitions that run in turns
addresses, tile_access, gather_scatter
                    loads and stores, from the fastest method to the most general
ops                 the meaning of each operation
"""

from weft.interpreter.launch import Kernel, prepare, run
from weft.interpreter.launch_statistics import LaunchStatistics, Traffic

__all__ = ["Kernel", "LaunchStatistics", "Traffic", "prepare", "run"]
