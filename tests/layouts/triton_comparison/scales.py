"""Layouts of the scales of block-scaled dots.

The wheel has two functions for the layouts of AMD's scales, which Gluon calls. It has none for
sm_120: there a dot goes through Triton's accelerate-matmul pass, and the layouts are parsed from
its result. Neither supports clusters; `tests/layouts/test_scale_layouts.py` tests those.
"""

from __future__ import annotations

import dataclasses
import re
import tempfile
from random import Random
from typing import Any

from tests.layouts import oracle
from tests.layouts.triton_comparison.random_encodings import cga, power, random_split
from weft.layouts import LinearLayout, NvidiaMmaEncoding, parse
from weft.layouts.scale_layouts import mfma_scale, mma_scale, wmma_scale

__all__ = ["KINDS", "Scale", "case", "hint", "ours", "theirs"]

KINDS = ("mfma_scale", "wmma_scale", "mma_scale")
Vectors = tuple[tuple[int, ...], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Scale:
    """A question.

    Attributes:
        kind: One of `KINDS`.
        shape: The shape of the scales.
        op_idx: 0 for the scales of A, 1 for those of B.
        rest: The other arguments of the function of that kind.
    """

    kind: str
    shape: tuple[int, int]
    op_idx: int
    rest: tuple[Any, ...]


def case(kind: str, number: int) -> Scale:
    """Return the question of this kind with this number."""
    random = Random(f"{kind} {number}")
    shape, side = (8 << random.randint(0, 6), power(random, 6)), random.randint(0, 1)
    if kind == "mfma_scale":
        tiles = power(random, 1), power(random, 1)
        warps = random_split(random, random.randint(0, 3), 2)
        return Scale(kind, shape, side, (random.choice([16, 32]), tiles, warps))
    if kind == "wmma_scale":
        vectors = tuple(v for v in cga(random, 2, 4) if any(v))
        cut = random.randint(0, len(vectors))
        return Scale(kind, shape, side, (vectors[:cut], vectors[cut:]))
    # The pass decides on warps from M and N; K is at least that of one instruction.
    m, n = (16 << random.randint(0, 4) for _ in range(2))
    k, warps = 64 << random.randint(0, 4), power(random, 3)
    return Scale(kind, (m, k // 32) if side == 0 else (n, k // 32), side, (m, n, k, warps))


def hint(answer: Any) -> Any:
    """Return the warps that Triton's pass chose, None for the kinds that have them as arguments."""
    return answer.get("warps")


def ours(one: Scale, warps: Any) -> Any:
    """Return weft's vectors; of an sm_120 dot for these warps."""
    if one.kind == "mfma_scale":
        layout = mfma_scale(one.shape, one.op_idx, *one.rest)
    elif one.kind == "wmma_scale":
        layout = wmma_scale(one.shape, one.op_idx, *one.rest)
    else:
        layout = mma_scale(one.shape, one.op_idx, warps)
        return {"warps": warps, "bases": layout.bases}
    return layout.bases


def theirs(one: Scale) -> Any:
    """Return Triton's."""
    from triton._C.libtriton import gluon_ir

    shape = list(one.shape)
    if one.kind == "mfma_scale":
        m_dim, tiles, warps = one.rest
        layout = gluon_ir.get_amd_mfma_scale_layout(
            one.op_idx, shape, m_dim, list(tiles), list(warps)
        )
        return oracle.named_bases(layout)
    if one.kind == "wmma_scale":
        register, warp = ([list(v) for v in vectors] for vectors in one.rest)
        layout = gluon_ir.get_amd_wmma_scale_layout(one.op_idx, shape, 16, register, warp)
        return oracle.named_bases(layout)
    return _of_a_dot(one)


def _of_a_dot(one: Scale) -> Any:
    text = _accelerate(*one.rest)
    aliases = dict(re.findall(r"^(#\w+) = (#ttg\..*)$", text, re.MULTILINE))
    dot = next(line for line in text.splitlines() if "tt.dot_scaled" in line)
    scales = re.findall(r"tensor<\d+x\d+xi8, (#\w+)>", dot)
    result = parse(aliases[re.findall(r"-> tensor<.*, (#\w+)>", dot)[0]])
    assert isinstance(result, NvidiaMmaEncoding)
    layout: LinearLayout = parse(aliases[scales[one.op_idx]]).linear(one.shape)
    return {"warps": list(result.warps_per_cta), "bases": layout.bases}


def _accelerate(m: int, n: int, k: int, warps: int) -> str:
    """Run Triton's accelerate-matmul for sm_120 on a scaled dot of fp8."""
    from triton._C.libtriton import ir, passes

    scales = f"tensor<{m}x{k // 32}xi8, #b>", f"tensor<{n}x{k // 32}xi8, #b>"
    a, b = f"tensor<{m}x{k}xf8E4M3FN, #b>", f"tensor<{k}x{n}xf8E4M3FN, #b>"
    c = f"tensor<{m}x{n}xf32, #b>"
    text = (
        "#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], "
        f"warpsPerCTA = [{warps}, 1], order = [1, 0]}}>\n"
        f'module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {warps} : i32, '
        'ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {\n'
        f"tt.func @f(%a: {a}, %b: {b}, %x: {scales[0]}, %y: {scales[1]}, %c: {c}) -> {c} {{\n"
        "%d = tt.dot_scaled %a scale %x, %b scale %y, %c lhs = e4m3 rhs = e4m3 {fastMath = false}"
        f" : {a}, {scales[0]} * {b}, {scales[1]} -> {c}\n"
        f"tt.return %d : {c}\n}} }}\n"
    )
    oracle.builder()
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, oracle.context())
    manager = ir.pass_manager(oracle.context())
    passes.ttgpuir.add_accelerate_matmul(manager)
    manager.run(module, "scaled")
    return module.str_nodebug()
