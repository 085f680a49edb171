"""A module with three conversions, and its inventory."""

from __future__ import annotations

from pathlib import Path

from weft.explain.inventory import Inventory, inventory
from weft.ir.text import parse_module

__all__ = ["inventory_in"]

KERNEL = """\
def kernel(x):
    a = tl.arange(0, 64)
    for i in range(4):
        b = tl.sum(a)
"""

MODULE = """\
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @kernel(%n: i32 loc("FILE":1:0)) {
    %a = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #blocked> loc("FILE":2:8)
    %b = ttg.convert_layout %a : tensor<64xi32, #blocked> -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> loc("FILE":2:4)
    scf.for %i = %n to %n step %n  : i32 {
      %c = ttg.convert_layout %a : tensor<64xi32, #blocked> -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> loc(callsite("/x/weft/language/standard.py":9:0 at "FILE":4:8))
      %d = ttg.convert_layout %a : tensor<64xi32, #blocked> -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> loc("s"("FILE":4:12))
    } loc("FILE":3:4)
    tt.return loc(unknown)
  } loc("FILE":1:0)
} loc("FILE":1:0)
"""  # noqa: E501


def inventory_in(folder: Path) -> Inventory:
    """Write the kernel to a folder, and list the layouts and conversions of the module."""
    file = folder / "kernel.py"
    file.write_text(KERNEL)
    return inventory(parse_module(MODULE.replace("FILE", str(file))))
