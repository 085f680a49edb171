"""IR text of modules with one dot, as pass inputs."""

from __future__ import annotations

from weft.targets import target

ELEMENT_TYPES = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "e2m1": "i8", "bf16": "bf16", "fp16": "f16"}


def _module(chip: str, warps: int, rank: int, body: str) -> str:
    lanes = target(chip).threads_per_warp
    front = "1, " * (rank - 2)
    order = ", ".join(str(dim) for dim in reversed(range(rank)))
    ones = ", ".join(["1"] * (rank - 1))
    return f"""
#blocked = #ttg.blocked<{{sizePerThread = [{front}1, 1], \
threadsPerWarp = [{front}{lanes // 16}, 16], warpsPerCTA = [{warps}, {ones}], order = [{order}]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32, \
ttg.target = "hip:{chip}", "ttg.threads-per-warp" = {lanes} : i32}} {{
{body}
}}
"""


def dot_module(
    chip: str,
    shape: tuple[int, int, int],
    elements: tuple[str, str, str] = ("f16", "f16", "f32"),
    *,
    warps: int = 4,
    batch: int = 0,
    precision: str = "",
) -> str:
    """Write a module with one tt.dot of m x n x k, in the layouts that it has before the pass."""
    m, n, k = shape
    a, b, d = elements
    front = f"{batch}x" if batch else ""
    left = f"tensor<{front}{m}x{k}x{a}, #ttg.dot_op<{{opIdx = 0, parent = #blocked}}>>"
    right = f"tensor<{front}{k}x{n}x{b}, #ttg.dot_op<{{opIdx = 1, parent = #blocked}}>>"
    result = f"tensor<{front}{m}x{n}x{d}, #blocked>"
    input_precision = f", inputPrecision = {precision}" if precision else ""
    body = f"""
  tt.func public @f(%a: {left}, %b: {right}, %c: {result}) -> {result} {{
    %d = tt.dot %a, %b, %c{input_precision} : {left} * {right} -> {result}
    tt.return %d : {result}
  }}"""
    return _module(chip, warps, 3 if batch else 2, body)


def scaled_dot_module(
    chip: str,
    shape: tuple[int, int, int],
    formats: tuple[str, str],
    *,
    scales: tuple[bool, bool] = (True, True),
    warps: int = 4,
    fast_math: bool = False,
    left_by_k: bool = True,
    right_by_k: bool = True,
) -> str:
    """Write a module with one tt.dot_scaled of m x n x k."""
    m, n, k = shape
    a, b = (2 if format_ == "e2m1" else 1 for format_ in formats)
    rows, depth = (m, k // a) if left_by_k else (m // a, k)
    deep, columns = (k // b, n) if right_by_k else (k, n // b)
    left = f"tensor<{rows}x{depth}x{ELEMENT_TYPES[formats[0]]}, #blocked>"
    right = f"tensor<{deep}x{columns}x{ELEMENT_TYPES[formats[1]]}, #blocked>"
    result = f"tensor<{m}x{n}xf32, #blocked>"
    arguments, loads, types = [], "", ["", ""]
    for index, (size, has_scale) in enumerate(zip((m, n), scales, strict=True)):
        if has_scale:
            pointers = f"tensor<{size}x{k // 32}x!tt.ptr<i8>, #blocked>"
            arguments.append(f", %p{index}: {pointers}")
            loads += f"    %s{index} = tt.load %p{index} : {pointers}\n"
            types[index] = f", tensor<{size}x{k // 32}xi8, #blocked>"
    names = [f" scale %s{index}" if has_scale else "" for index, has_scale in enumerate(scales)]
    flags = [f"fastMath = {str(fast_math).lower()}"]
    flags += [] if left_by_k else ["lhs_k_pack = false"]
    flags += [] if right_by_k else ["rhs_k_pack = false"]
    body = f"""
  tt.func public @f(%a: {left}, %b: {right}, %c: {result}{"".join(arguments)}) -> {result} {{
{loads}    %d = tt.dot_scaled %a{names[0]}, %b{names[1]}, %c lhs = {formats[0]} rhs = {formats[1]} \
{{{", ".join(flags)}}} : {left}{types[0]} * {right}{types[1]} -> {result}
    tt.return %d : {result}
  }}"""
    return _module(chip, warps, 2, body)
