"""TTGIR of programs that run on clusters of CTAs, with a tile split across CTAs in any way."""

from __future__ import annotations

from collections.abc import Sequence

SHAPE = (32, 64)
SPLITS = {
    "rows": (1, 0),
    "columns": (0, 1),
    "copies": (0, 0),
}


def vectors(split: str, blocks: int) -> str:
    """Return CGALayout of blocks that split a tile; "both": rows by the first bit, then columns."""
    bits = blocks.bit_length() - 1
    if split == "both":
        actual = [[1, 0], [0, 1]][:bits]
    else:
        row, column = SPLITS[split]
        actual = [[row << bit, column << bit] for bit in range(bits)]
    return str(actual)


def blocked(split: str, blocks: int, warps: tuple[int, int] = (2, 2), order: str = "1, 0") -> str:
    """Return a blocked layout of four warps."""
    sizes, lanes = ("1, 2", "4, 8") if order == "1, 0" else ("2, 1", "8, 4")
    return (
        f"#ttg.blocked<{{sizePerThread = [{sizes}], threadsPerWarp = [{lanes}], "
        f"warpsPerCTA = [{warps[0]}, {warps[1]}], order = [{order}], "
        f"CGALayout = {vectors(split, blocks)}}}>"
    )


def module(
    body: str, layouts: Sequence[str], blocks: int, arguments: str, chip: str = "cuda:90"
) -> str:
    """Return a module with one kernel. Args: layouts: of #a, #b …; arguments: of the kernel."""
    names = "\n".join(f"#{'abcdef'[n]} = {one}" for n, one in enumerate(layouts))
    return f"""
{names}
module attributes {{"ttg.num-ctas" = {blocks} : i32, "ttg.num-warps" = 4 : i32,
                   ttg.target = "{chip}", "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @k({arguments}) {{
{body}
    tt.return
  }}
}}"""


def places(name: str, layout: str, shape: tuple[int, int] = SHAPE) -> str:
    """Return lines that make %name, the offsets of a row-major tile in a layout."""
    m, n = shape
    rows = f"#ttg.slice<{{dim = 1, parent = {layout}}}>"
    columns = f"#ttg.slice<{{dim = 0, parent = {layout}}}>"
    return f"""
    %{name}m = tt.make_range {{end = {m} : i32, start = 0 : i32}} : tensor<{m}xi32, {rows}>
    %{name}n = tt.make_range {{end = {n} : i32, start = 0 : i32}} : tensor<{n}xi32, {columns}>
    %{name}r = tt.expand_dims %{name}m {{axis = 1 : i32}} : tensor<{m}xi32, {rows}>
      -> tensor<{m}x1xi32, {layout}>
    %{name}c = tt.expand_dims %{name}n {{axis = 0 : i32}} : tensor<{n}xi32, {columns}>
      -> tensor<1x{n}xi32, {layout}>
    %{name}w = arith.constant dense<{n}> : tensor<{m}x1xi32, {layout}>
    %{name}s = arith.muli %{name}r, %{name}w : tensor<{m}x1xi32, {layout}>
    %{name}x = tt.broadcast %{name}s : tensor<{m}x1xi32, {layout}> -> tensor<{m}x{n}xi32, {layout}>
    %{name}y = tt.broadcast %{name}c : tensor<1x{n}xi32, {layout}> -> tensor<{m}x{n}xi32, {layout}>
    %{name} = arith.addi %{name}x, %{name}y : tensor<{m}x{n}xi32, {layout}>"""


def pointers(name: str, base: str, offsets: str, type_: str, shape: str, layout: str) -> str:
    """Return lines that make %name, pointers from %base on."""
    kind = f"tensor<{shape}x!tt.ptr<{type_}>, {layout}>"
    return f"""
    %{name}b = tt.splat %{base} : !tt.ptr<{type_}> -> {kind}
    %{name} = tt.addptr %{name}b, %{offsets} : {kind}, tensor<{shape}xi32, {layout}>"""


def loaded(name: str, base: str, offsets: str, type_: str, shape: str, layout: str) -> str:
    """Return lines that make %name, what lies from %base on."""
    kind = f"tensor<{shape}x!tt.ptr<{type_}>, {layout}>"
    lines = pointers(f"{name}p", base, offsets, type_, shape, layout)
    return f"{lines}\n    %{name} = tt.load %{name}p : {kind}"


def stored(value: str, base: str, offsets: str, type_: str, shape: str, layout: str) -> str:
    """Return lines that store %value from %base on."""
    kind = f"tensor<{shape}x!tt.ptr<{type_}>, {layout}>"
    lines = pointers(f"{value}q", base, offsets, type_, shape, layout)
    return f"{lines}\n    tt.store %{value}q, %{value} : {kind}"
