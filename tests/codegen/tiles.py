"""TTGIR kernels that load one tile in a given layout, apply operations and store the result.

    tile_kernel("cuda:90", LAYOUTS["mma"], 64, 32, "i32", SUM)

`%x` is the tile; `%a` holds the addresses of an output tile of the same shape.
"""

from __future__ import annotations

from weft.targets import target as chip_of

__all__ = ["LAYOUTS", "layouts_for", "tile_kernel"]

_TEMPLATE = """
#l = {layout}
#rows = #ttg.slice<{{dim = 1, parent = #l}}>
#columns = #ttg.slice<{{dim = 0, parent = #l}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32,
    ttg.target = "{target}", "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func public @k(%p: !tt.ptr<{kind}> {{tt.divisibility = 16 : i32}},
      %q: !tt.ptr<{kind}> {{tt.divisibility = 16 : i32}}) {{
    %r = tt.make_range {{start = 0 : i32, end = {m} : i32}} : tensor<{m}xi32, #rows>
    %c = tt.make_range {{start = 0 : i32, end = {n} : i32}} : tensor<{n}xi32, #columns>
    %r1 = tt.expand_dims %r {{axis = 1 : i32}} : tensor<{m}xi32, #rows> -> tensor<{m}x1xi32, #l>
    %c1 = tt.expand_dims %c {{axis = 0 : i32}} : tensor<{n}xi32, #columns> -> tensor<1x{n}xi32, #l>
    %w = arith.constant dense<{n}> : tensor<{m}x1xi32, #l>
    %r2 = arith.muli %r1, %w : tensor<{m}x1xi32, #l>
    %r3 = tt.broadcast %r2 : tensor<{m}x1xi32, #l> -> tensor<{m}x{n}xi32, #l>
    %c2 = tt.broadcast %c1 : tensor<1x{n}xi32, #l> -> tensor<{m}x{n}xi32, #l>
    %o = arith.addi %r3, %c2 : tensor<{m}x{n}xi32, #l>
    %pb = tt.splat %p : !tt.ptr<{kind}> -> tensor<{m}x{n}x!tt.ptr<{kind}>, #l>
    %pa = tt.addptr %pb, %o : tensor<{m}x{n}x!tt.ptr<{kind}>, #l>, tensor<{m}x{n}xi32, #l>
    %x = tt.load %pa : tensor<{m}x{n}x!tt.ptr<{kind}>, #l>
    %qb = tt.splat %q : !tt.ptr<{kind}> -> tensor<{m}x{n}x!tt.ptr<{kind}>, #l>
    %a = tt.addptr %qb, %o : tensor<{m}x{n}x!tt.ptr<{kind}>, #l>, tensor<{m}x{n}xi32, #l>
{body}
    tt.return
  }}
}}
"""

# Layouts by the lanes of the warps that they are for; all have four warps.
LAYOUTS: dict[int, dict[str, str]] = {
    32: {
        "mma": "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2],"
        " instrShape = [16, 8]}>",
        "wgmma": "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1],"
        " instrShape = [16, 32, 16]}>",
        "slice of mma": "#ttg.slice<{dim = 0, parent = #ttg.nvidia_mma<{versionMajor = 2,"
        " versionMinor = 0, warpsPerCTA = [1, 2, 2], instrShape = [1, 16, 8]}>}>",
        "operand of mma": "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2,"
        " versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>",
        "any order": "#ttg.linear<{register = [[0, 4], [2, 0], [32, 0], [4, 0]],"
        " lane = [[0, 1], [8, 0], [0, 2], [16, 0], [0, 16]], warp = [[0, 8], [1, 0]], block = []}>",
        "repeating": "#ttg.linear<{register = [[0, 0], [0, 2], [1, 0]], lane = [[0, 0], [2, 0],"
        " [0, 1], [4, 0], [0, 0]], warp = [[0, 0], [0, 4]], block = []}>",
        "warps apart": "#ttg.linear<{register = [[0, 4], [8, 0], [32, 0], [2, 0]],"
        " lane = [[0, 2], [1, 0], [4, 0], [0, 16], [16, 0]], warp = [[0, 1], [0, 8]], block = []}>",
    },
    64: {
        "mfma": "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8],"
        " isTransposed = true}>",
        "mfma 16": "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 4], instrShape = [16, 16, 16],"
        " isTransposed = false}>",
        "warps apart": "#ttg.linear<{register = [[0, 4], [8, 0], [32, 0]],"
        " lane = [[0, 2], [1, 0], [4, 0], [0, 16], [16, 0], [2, 0]],"
        " warp = [[0, 1], [0, 8]], block = []}>",
    },
}


def layouts_for(target: str) -> dict[str, str]:
    """Return the layouts for a chip's warps."""
    return LAYOUTS[chip_of(target).threads_per_warp]


def tile_kernel(target: str, layout: str, m: int, n: int, kind: str, body: str) -> str:
    """Return a kernel's text.

    Args: body: operations, in which {t} is the tile's type, {m}, {n} and {kind} for what
          they are here; `#l`, `#rows` and `#columns` are its layout and that of its edges.
    """
    said = {"m": m, "n": n, "kind": kind, "t": f"tensor<{m}x{n}x{kind}, #l>"}
    filled = body
    for name, value in said.items():
        filled = filled.replace("{" + name + "}", str(value))
    return _TEMPLATE.format(
        layout=layout,
        target=target,
        lanes=chip_of(target).threads_per_warp,
        body=filled,
        **{name: said[name] for name in ("m", "n", "kind")},
    )
