"""Instructions, warps and chains that tritonamdgpu-accelerate-matmul chooses; errors; ledger."""

from __future__ import annotations

import pytest

from tests.passes.amd.dot_modules import dot_module, scaled_dot_module
from weft.decisions import collecting
from weft.errors import PassError, UnknownPassError, UnknownTargetError
from weft.ir import tt, types
from weft.ir.rewriting import walk
from weft.ir.text import parse_module
from weft.passes import parse_pipeline, run_pipeline
from weft.passes.amd.accelerate_matmul.chain import is_chain_head, is_chain_tail
from weft.passes.amd.accelerate_matmul.context import DotShape
from weft.passes.amd.accelerate_matmul.instruction import (
    OperandTypes,
    choose_mfma,
    choose_wmma,
    mfma_types,
    wmma_types,
)
from weft.passes.amd.accelerate_matmul.warps import distribute_warps
from weft.passes.ledger import Candidate
from weft.targets.matrix_units import matrix_units


def run(text: str, chip: str = "gfx942", **options: int):
    """Run the pass; return the module and the decisions."""
    module = parse_module(text)
    text_options = " ".join(f"{name.replace('_', '-')}={value}" for name, value in options.items())
    name = f"tritonamdgpu-accelerate-matmul{{arch-generation-name={chip} {text_options}}}"
    with collecting() as decisions:
        run_pipeline(parse_pipeline(name), module, verify=True)
    return module, decisions


# ---------------------------------------------------------------------------------- instructions
@pytest.mark.parametrize(
    ("arch", "types_", "shape", "side", "chosen"),
    [
        ("gfx942", "f16", (64, 64, 64), 0, "32x32x8"),
        ("gfx942", "f16", (64, 64, 64), 16, "16x16x16"),
        ("gfx942", "f16", (64, 16, 64), 0, "16x16x16"),
        ("gfx942", "f16", (64, 8, 64), 0, "64x4x64"),
        ("gfx942", "f16", (8, 128, 64), 0, "4x64x64"),
        ("gfx950", "f16", (64, 64, 16), 0, "32x32x16"),
        ("gfx950", "f16", (64, 64, 8), 0, "32x32x8"),
        ("gfx950", "bf16", (16, 16, 16), 0, "16x16x16"),
        ("gfx90a", "bf16", (32, 32, 4), 0, "32x32x4"),
        ("gfx908", "bf16", (8, 64, 64), 0, "4x64x2"),
        ("gfx90a", "f64", (64, 64, 4), 0, "16x16x4"),
        ("gfx942", "i8", (32, 32, 16), 0, "32x32x16"),
    ],
)
def test_mfma(arch, types_, shape, side, chosen):
    choice = choose_mfma(matrix_units(arch), OperandTypes(types_, types_), DotShape(*shape), side)
    assert choice.instruction is not None
    assert choice.instruction.shape == chosen
    assert choice.candidates[0] == Candidate(choice.instruction.label, "chosen")


@pytest.mark.parametrize(
    ("arch", "types_", "shape", "side", "reason"),
    [
        ("gfx908", "f64", (64, 64, 64), 0, "gfx908 has no MFMA of f64 x f64"),
        ("gfx942", "f16", (8, 8, 64), 0, "no tile of f16 x f16 fits 8x8x64"),
        ("gfx942", "f16", (64, 64, 64), 4, "no tile of f16 x f16 fits 64x64x64"),
        ("gfx942", "f16", (64, 64, 4), 0, "K = 4 is not a multiple of its k = 8"),
        ("gfx942", "f16", (64, 8, 32), 0, "K = 32 is not a multiple of its k = 64"),
    ],
)
def test_no_mfma(arch, types_, shape, side, reason):
    choice = choose_mfma(matrix_units(arch), OperandTypes(types_, types_), DotShape(*shape), side)
    assert choice.instruction is None
    assert reason in choice.reason


def test_reasons_of_rejected_tiles():
    units = matrix_units("gfx950")
    choice = choose_mfma(units, OperandTypes("f16", "f16"), DotShape(64, 16, 16), 0)
    assert choice.candidates == (
        Candidate("mfma.f32.16x16x16f16", "chosen"),
        Candidate("mfma.f32.32x32x16.f16", "too large: its tile has 32 columns, the result 16"),
        Candidate("mfma.f32.32x32x8f16", "too large: its tile has 32 columns, the result 16"),
        Candidate("mfma.f32.4x4x4f16 as 64x4", "fits, but 16x16 comes first"),
        Candidate("mfma.f32.4x4x4f16 as 4x64", "too large: its tile has 64 columns, the result 16"),
        Candidate("mfma.f32.16x16x32.f16", "K = 16 is less than its k = 32"),
    )


def test_types_of_an_instruction():
    units = matrix_units("gfx942")
    assert mfma_types(units, "f32", "f32", low_precision=True).a == "xf32"
    assert mfma_types(units, "f32", "f32", low_precision=False).a == "f32"
    assert mfma_types(matrix_units("gfx950"), "f32", "f32", low_precision=True).a == "f32"
    emulated = mfma_types(units, "f8E5M2", "f8E4M3FN", low_precision=False)
    assert (emulated.a, emulated.reason) == (
        "f16",
        "gfx942 has no f8E5M2 x f8E4M3FN; converted to f16",
    )


@pytest.mark.parametrize(
    ("arch", "operand_types", "instruction_types"),
    [
        ("gfx1100", ("f16", "f16", "f16"), ("f16", "f16", "f32")),
        ("gfx1100", ("f8E5M2", "f8E5M2", "f32"), ("f16", "f16", "f32")),
        ("gfx1201", ("f8E5M2", "f8E4M3FN", "f32"), ("f8E5M2", "f8E4M3FN", "f32")),
        ("gfx1201", ("bf16", "bf16", "f32"), ("bf16", "bf16", "f32")),
        ("gfx1250", ("i8", "i8", "i32"), ("i8", "i8", "i32")),
    ],
)
def test_wmma_converts_to_the_nearest_types(arch, operand_types, instruction_types):
    chosen = wmma_types(matrix_units(arch), *operand_types)
    assert chosen is not None
    assert (chosen.a, chosen.b, chosen.d) == instruction_types


@pytest.mark.parametrize("element", ["f32", "f64", "i8"])
def test_wmma_does_not_narrow_operands(element):
    chosen = wmma_types(matrix_units("gfx1201"), element, element, element)
    assert (chosen is None) == (element != "i8")


def test_wmma_needs_no_multiple_of_k():
    units = matrix_units("gfx1250")
    fp8 = OperandTypes("f8E5M2", "f8E5M2", "f32")
    depths = [choose_wmma(units, fp8, DotShape(16, 16, k)).instruction for k in (2, 64, 128)]
    assert [row.k for row in depths if row is not None] == [64, 64, 128]
    assert choose_wmma(units, fp8, DotShape(8, 16, 64)).instruction is None


def test_scaled_wmma_supports_a_single_row_or_column():
    units = matrix_units("gfx1250")
    row = next(row for row in units.matrix if row.scaled)
    operand_types = OperandTypes(row.a, row.b, row.d)
    for shape in ((1, row.n, row.k), (row.m, 1, row.k), (row.m, row.n, row.k)):
        choice = choose_wmma(units, operand_types, DotShape(*shape))
        assert choice.instruction is not None
        assert choice.instruction.scaled
    assert choose_wmma(units, operand_types, DotShape(8, row.n, row.k)).instruction is None


# ------------------------------------------------------------------------------------------ warps
@pytest.mark.parametrize(
    ("shape", "warps", "tile", "warps_per_cta"),
    [
        ((128, 256), 8, (32, 32), (2, 4)),
        ((128, 128), 4, (32, 32), (2, 2)),
        ((32, 32), 4, (32, 32), (4, 1)),
        ((16, 256), 8, (16, 16), (1, 8)),
        ((256, 16), 16, (16, 16), (16, 1)),
        ((8, 64, 64), 4, (32, 32), (4, 1, 1)),
    ],
)
def test_warps(shape, warps, tile, warps_per_cta):
    assert distribute_warps(shape, warps, tile, head=False, tail=False).warps == warps_per_cta


def test_warps_of_chains():
    assert distribute_warps((64, 64), 8, (32, 32), head=True, tail=False).warps == (8, 1)
    assert distribute_warps((64, 64), 8, (32, 32), head=False, tail=True).warps == (2, 4)


def test_steps_of_the_distribution():
    distribution = distribute_warps((64, 128), 4, (32, 32), head=False, tail=False)
    assert distribution.steps == (
        "[1, 1]",
        "half of M's 1 against N's 4: [1, 2]",
        "half of M's 1 against N's 2: [1, 4]",
    )


# ------------------------------------------------------------------------------------------ chains
CHAIN = """
tt.func @f(%q: tensor<64x64xf16>, %c: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %s = tt.dot %q, %q, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tt.dot %{LEFT}, %{RIGHT}, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  tt.return %o : tensor<64x64xf32>
}
"""


def _dots(text: str) -> list[tt.DotOp]:
    return [op for op in walk(parse_module(text)) if isinstance(op, tt.DotOp)]


def test_a_chain_through_the_left_operand():
    first, second = _dots(CHAIN.replace("{LEFT}", "p").replace("{RIGHT}", "q"))
    assert (is_chain_head(first, 0), is_chain_head(first, 1)) == (True, False)
    assert (is_chain_tail(first), is_chain_tail(second)) == (False, True)


def test_a_chain_through_the_right_operand():
    first, second = _dots(CHAIN.replace("{LEFT}", "q").replace("{RIGHT}", "p"))
    assert (is_chain_head(first, 0), is_chain_head(first, 1)) == (False, True)
    assert not is_chain_tail(second)


def test_a_loop_starts_no_chain():
    text = """
    tt.func @f(%q: tensor<64x64xf16>, %c: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
      %c0 = arith.constant 0 : i32
      %r = scf.for %i = %c0 to %n step %n iter_args(%a = %c) -> (tensor<64x64xf32>) : i32 {
        %p = arith.truncf %a : tensor<64x64xf32> to tensor<64x64xf16>
        %o = tt.dot %p, %q, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
        scf.yield %o : tensor<64x64xf32>
      }
      tt.return %r : tensor<64x64xf32>
    }
    """
    (dot,) = _dots(text)
    assert not is_chain_head(dot)
    assert not is_chain_tail(dot)


def test_a_conditional_starts_no_chain():
    text = """
    tt.func @f(%q: tensor<64x64xf16>, %c: tensor<64x64xf32>, %b: i1) -> tensor<64x64xf32> {
      %s = tt.dot %q, %q, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
      %r = scf.if %b -> (tensor<64x64xf32>) {
        %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
        %o = tt.dot %p, %q, %c : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
        scf.yield %o : tensor<64x64xf32>
      } else {
        scf.yield %s : tensor<64x64xf32>
      }
      tt.return %r : tensor<64x64xf32>
    }
    """
    outer, inner = _dots(text)
    assert not is_chain_head(outer)
    assert not is_chain_tail(inner)


# ------------------------------------------------------------------------------------------ errors
def test_instruction_size_without_instruction():
    with pytest.raises(UnknownPassError) as caught:
        run(dot_module("gfx942", (64, 64, 64)), matrix_instruction_size=8)
    text = str(caught.value)
    assert "gfx942 has no matrix instruction of 8x8" in text
    assert "matrix-instruction-size=8" in text
    assert "accepted: 0 (by shape), 4, 16, 32" in text


def test_wmma_ignores_the_instruction_size():
    module, _ = run(dot_module("gfx1201", (64, 64, 64)), "gfx1201", matrix_instruction_size=32)
    assert any("amd_wmma" in str(types.encoding(op.results[0].type)) for op in _dot_ops(module))


def _dot_ops(module):
    return [op for op in walk(module) if isinstance(op, tt.DotOp | tt.DotScaledOp)]


def test_k_pack_of_three():
    with pytest.raises(UnknownPassError) as caught:
        run(dot_module("gfx942", (64, 64, 64)), kPack=3)
    assert "kPack must be 1 or 2" in str(caught.value)
    assert "kPack=3" in str(caught.value)


def test_an_unknown_chip():
    with pytest.raises(
        UnknownTargetError, match="no matrix instructions are listed for target gfx999"
    ):
        run(dot_module("gfx942", (64, 64, 64)), "gfx999")


def test_layouts_of_another_wave_size():
    with pytest.raises(PassError) as caught:
        run(dot_module("gfx942", (64, 64, 64)), "gfx1201")
    assert "gfx1201 has 32 threads per warp" in str(caught.value)
    assert '"ttg.threads-per-warp" = 64' in str(caught.value)


def test_layouts_of_another_vendor():
    mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], "
    text = dot_module("gfx1201", (64, 64, 64)).replace("kWidth", "")
    start, end = text.index("#ttg.blocked"), text.index("module")
    text = text[:start] + mma + "instrShape = [16, 8]}>\n" + text[end:]
    text = text.replace("parent = #blocked}", "parent = #blocked, kWidth = 2}")
    with pytest.raises(PassError) as caught:
        run(text, "gfx1201")
    assert "tt.dot has the layout of an instruction that gfx1201 lacks" in str(caught.value)


def test_a_missing_chip():
    with pytest.raises(UnknownPassError, match="needs arch-generation-name"):
        parse_pipeline("tritonamdgpu-accelerate-matmul")


def test_mixed_64_bit_types_are_an_error():
    with pytest.raises(PassError) as caught:
        run(dot_module("gfx1201", (8, 8, 8), ("i64", "i64", "i64")), "gfx1201")
    assert "unsupported dot of mixed types with 64-bit elements" in str(caught.value)


@pytest.mark.parametrize("wide", ["i16", "i32"])
def test_wide_integers_have_no_matrix_instruction(wide):
    """Triton 3.7.1 chooses the i8 instruction for integers of every width."""
    module, decisions = run(dot_module("gfx942", (64, 64, 64), (wide, wide, "i32")))
    (dot,) = _dot_ops(module)
    assert str(types.element(dot.a.type)) == "f32"
    assert f"gfx942 has no MFMA of {wide} x {wide}" in [one.reason for one in decisions]


def test_scaled_wmma_rejects_fp4_packed_along_n():
    text = scaled_dot_module("gfx1250", (64, 64, 128), ("e4m3", "e2m1"), right_by_k=False)
    with pytest.raises(PassError) as caught:
        run(text, "gfx1250")
    assert "the right operand is packed along N" in str(caught.value)


# ------------------------------------------------------------------------------------------ ledger
def test_ledger_of_the_instruction():
    module, decisions = run(dot_module("gfx942", (128, 64, 64)))
    (dot,) = _dot_ops(module)
    (text_options,) = [one for one in decisions if one.value is dot.results[0]]
    facts = dict(text_options.facts)
    assert facts["instruction"] == "mfma.f32.32x32x8f16"
    assert facts["tile"] == "32x32x8"
    assert facts["tiles per warp"] == "2 x 1"
    assert facts["instructions per warp"] == "16"
    assert facts["warps per block"].startswith("[2, 2]: doubled along")
    assert facts["isTransposed"].startswith("true: ")
    assert facts["kWidth"].startswith("4: ")
    smaller_tile = Candidate("mfma.f32.16x16x16f16", "fits, but 32x32 comes first")
    assert smaller_tile in text_options.candidates


def test_ledger_of_casts_of_operands():
    """An operand that is converted in layout and then in type has a reason for both steps."""
    elements = ("f8E5M2", "f8E4M3FN", "f32")
    module, decisions = run(dot_module("gfx942", (64, 64, 64), elements))
    values = {one.value for one in decisions}
    casts = [op for op in walk(module) if isinstance(op, tt.FpToFpOp)]
    assert len(casts) == 2
    for op in casts:
        assert op.results[0] in values
        assert op.operands[0] in values
        assert types.encoding(op.operands[0].type) is types.encoding(op.results[0].type)


def test_ledger_of_a_missing_instruction():
    _, decisions = run(dot_module("gfx942", (64, 64, 4)))
    rejected = [one for one in decisions if one.choice == "no matrix instruction"]
    assert "K = 4 is not a multiple of its k = 8" in rejected[0].reason


@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950", "gfx1201", "gfx1250"])
@pytest.mark.parametrize("formats", [("e4m3", "bf16"), ("e2m1", "fp16"), ("e4m3", "e4m3")])
def test_every_layout_has_a_reason(chip, formats):
    text = scaled_dot_module(chip, (64, 64, 128), formats, scales=(True, False))
    module, decisions = run(text, chip)
    text_options = {id(one.value) for one in decisions}
    before = {op.name for op in walk(parse_module(text))}
    for op in walk(module):
        for value in op.results:
            new = op.name not in before or isinstance(op, tt.DotOp | tt.DotScaledOp)
            if new and types.encoding(value.type) is not None:
                assert id(value) in text_options, op
