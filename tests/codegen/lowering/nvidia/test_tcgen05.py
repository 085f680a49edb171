"""tcgen05 MMA: element types, shapes and operands in shared and tensor memory."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import weft
from tests.codegen.comparing import kernel_of, require_same
from tests.codegen.lowering.nvidia.test_dot_mma import chained, compiled, tolerance
from tests.codegen.running import simulated
from tests.codegen.tiles import tile_kernel
from weft.codegen import lower
from weft.errors import WeftError
from weft.interpreter import run as interpret
from weft.ir.text import parse_module
from weft.simulator import run

KINDS = [
    ("fp16", "fp32", (128, 64, 64), 4, "kind::f16"),
    ("fp16", "fp32", (64, 32, 32), 4, "kind::f16"),
    ("fp16", "fp32", (256, 64, 16), 8, "kind::f16"),
    ("fp16", "fp16", (128, 32, 32), 4, "kind::f16"),
    ("bf16", "fp32", (128, 128, 32), 8, "kind::f16"),
    ("bf16", "fp32", (64, 128, 64), 4, "kind::f16"),
    ("fp32", "fp32", (128, 32, 32), 4, "kind::tf32"),
    ("fp32", "fp32", (64, 64, 16), 4, "kind::tf32"),
    ("fp8e4nv", "fp32", (128, 64, 64), 4, "kind::f8f6f4"),
    ("fp8e5", "fp32", (64, 64, 128), 4, "kind::f8f6f4"),
]


@pytest.mark.parametrize(("kind", "total", "sizes", "warps", "instruction"), KINDS)
@pytest.mark.parametrize("turned", [(False, False), (True, True)])
def test_tcgen05_element_types(kind, total, sizes, warps, instruction, turned):
    artifact = compiled("cuda:100", kind, total, sizes, warps, turned)
    text = lower(artifact.module("ttgir")).text
    assert f"tcgen05.mma.cta_group::1.{instruction} " in text
    require_same(artifact, tolerance=tolerance(kind, total))


MEMORY = "#ttng.tensor_memory_encoding<blockM = {m}, blockN = {n}, colStride = {stride}>"
ROWS = "[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]"
# How the lanes of a warp hold 128 rows, and 64 rows, per shape of instruction.
HELD = {
    "32x32b": (ROWS, "[32, 0], [64, 0]", "[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]"),
    "16x64b": (
        "[8, 0], [0, 1], [1, 0], [2, 0], [4, 0]",
        "[32, 0], [64, 0]",
        "[0, 2], [0, 4], [0, 8], [0, 16], [16, 0]",
    ),
    "16x128b": (
        "[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]",
        "[32, 0], [64, 0]",
        "[8, 0], [0, 4], [0, 8], [0, 16], [16, 0]",
    ),
    "16x256b": (
        "[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]",
        "[32, 0], [64, 0]",
        "[0, 1], [8, 0], [0, 8], [0, 16], [16, 0]",
    ),
    "16x32bx2": (
        "[1, 0], [2, 0], [4, 0], [8, 0], [0, 16]",
        "[32, 0], [64, 0]",
        "[0, 1], [0, 2], [0, 4], [0, 8], [16, 0]",
    ),
}


def linear(shape: str) -> str:
    """Return the layout in which a shape of instruction moves 128x32."""
    lanes, warps, registers = HELD[shape]
    return (
        f"#ttg.linear<{{register = [{registers}], lane = [{lanes}], warp = [{warps}], block = []}}>"
    )


def buffer(kind: str, sizes: str, m: int, n: int, stride: int = 1, whole: str = "") -> str:
    """Return the type of a buffer in tensor memory."""
    memory = MEMORY.format(m=m, n=n, stride=stride)
    tail = f", {whole}" if whole else ""
    return f"!ttg.memdesc<{sizes}x{kind}, {memory}, #ttng.tensor_memory, mutable{tail}>"


def through_memory(kind: str, first: str, second: str, stride: int) -> str:
    """Return the text of a kernel that stores 128x32 in one layout, and loads it in another."""
    one, other = (f"tensor<128x32x{kind}, {linear(shape)}>" for shape in (first, second))
    memory = buffer(kind, "128x32", 128, 32, stride)
    body = f"""
    %yes = arith.constant true
    %m = ttng.tmem_alloc : () -> {memory}
    ttng.tmem_store %x, %m, %yes : {one} -> {memory}
    ttg.barrier local
    %y = ttng.tmem_load %m : {memory} -> {other}
    %z = ttg.convert_layout %y : {other} -> {one}
    tt.store %a, %z : tensor<128x32x!tt.ptr<{kind}>, {linear(first)}>
"""
    return tile_kernel("cuda:100", linear(first), 128, 32, kind, body)


def copied(text: str, kind: str) -> str:
    """Run a kernel that copies 128x32 from its first argument to its second; return its text."""
    module = parse_module(text)
    inputs = np.random.default_rng(0).standard_normal(128 * 32).astype(kind)
    _, actual = simulated(module, [inputs, np.zeros_like(inputs)])
    np.testing.assert_array_equal(actual, inputs)
    return lower(module).text


def columns_of_registers(shape: str) -> set[tuple[int, ...]]:
    """List the (row, column) of each bit of a register's number."""
    return {tuple(map(int, pair.split(", "))) for pair in HELD[shape][2][1:-1].split("], [")}


@pytest.mark.parametrize("shape", HELD)
@pytest.mark.parametrize("kind", ["f32", "f16"])
def test_tcgen05_instruction_shapes(shape, kind):
    stride = 1 if kind == "f32" else 2
    text = copied(through_memory(kind, shape, "32x32b", stride), {"f32": "<f4", "f16": "<f2"}[kind])
    if kind == "f32":
        assert f"tcgen05.st.sync.aligned.{shape}.x" in text
    assert ("unpack::16b" in text) == (kind == "f16" and (0, 1) in columns_of_registers(shape))
    copied(through_memory(kind, "32x32b", shape, stride), {"f32": "<f4", "f16": "<f2"}[kind])


def test_packed_16_bit_elements():
    text = copied(through_memory("f16", "32x32b", "32x32b", 1), "<f2")
    assert "tcgen05.st.sync.aligned.32x32b.x16.b32" in text  # 32 columns of two bytes
    assert "tcgen05.ld.sync.aligned.32x32b.x16.b32" in text


def test_subslice_and_index_views():
    half = "tensor<128x16xf32, #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8]], "
    half += f"lane = [{ROWS}], warp = [[32, 0], [64, 0]], block = []}}>>"
    pair, one = buffer("f32", "2x128x32", 128, 32), buffer("f32", "128x32", 128, 32)
    part = buffer("f32", "128x16", 128, 32, whole="128x32")
    whole = f"tensor<128x32xf32, {linear('32x32b')}>"
    body = f"""
    %yes = arith.constant true
    %n = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %both = ttng.tmem_alloc : () -> {pair}
    %m = ttg.memdesc_index %both[%n] : {pair} -> {one}
    %k = ttg.memdesc_index %both[%zero] : {pair} -> {one}
    ttng.tmem_store %x, %m, %yes : {whole} -> {one}
    ttng.tmem_store %x, %k, %yes : {whole} -> {one}
    %lower = ttng.tmem_subslice %m {{N = 0 : i32}} : {one} -> {part}
    %upper = ttng.tmem_subslice %m {{N = 16 : i32}} : {one} -> {part}
    %u = ttng.tmem_load %lower : {part} -> {half}
    %v = ttng.tmem_load %upper : {part} -> {half}
    ttng.tmem_store %v, %lower, %yes : {half} -> {part}
    ttng.tmem_store %u, %upper, %yes : {half} -> {part}
    %y = ttng.tmem_load %m : {one} -> {whole}
    tt.store %a, %y : tensor<128x32x!tt.ptr<f32>, {linear("32x32b")}>
"""
    module = parse_module(tile_kernel("cuda:100", linear("32x32b"), 128, 32, "f32", body))
    inputs = np.arange(128 * 32, dtype=np.float32)
    _, actual = simulated(module, [inputs, np.zeros_like(inputs)])
    tile = inputs.reshape(128, 32)
    np.testing.assert_array_equal(
        actual.reshape(128, 32), np.concatenate([tile[:, 16:], tile[:, :16]], axis=1)
    )
    assert "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$1], 64;" in lower(module).text


def body_of(lines: str) -> str:
    """Return the text of a kernel on one tile of 128x32 of f32."""
    return tile_kernel("cuda:100", linear("32x32b"), 128, 32, "f32", lines)


ONE = buffer("f32", "128x32", 128, 32)
BARRIER = (
    "!ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, "
    "#ttg.shared_memory, mutable>"
)
SHARED = (
    "!ttg.memdesc<{}xf16, #ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = {}, "
    "elementBitWidth = 16}}>, #ttg.shared_memory, mutable>"
)
A, B = SHARED.format("128x32", 64, "false"), SHARED.format("32x32", 64, "false")


def product(more: str = "", barrier: str = "") -> str:
    """Return a dot of buffers that hold nothing yet."""
    return f"""
    %yes = arith.constant true
    %left = ttg.local_alloc : () -> {A}
    %right = ttg.local_alloc : () -> {B}
    %m = ttng.tmem_alloc : () -> {ONE}
    %e = ttg.local_alloc : () -> {BARRIER}
    ttng.tc_gen5_mma %left, %right, %m, %yes, %yes{more} : {A}, {B}, {ONE}{barrier}
"""


REFUSED = {
    "no instruction moves a tensor of this layout": f"""
    %m = ttng.tmem_alloc %x : (tensor<128x32xf32, {linear("32x32b")}>) -> {ONE}
    %y = ttng.tmem_load %m : {ONE} -> tensor<128x32xf32, #ttg.blocked<{{sizePerThread = [1, 1], \
threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}}>>
""",
    "k needs more tensor memory than a multiprocessor has": f"""
    %yes = arith.constant true
    %m = ttng.tmem_alloc : () -> {buffer("f32", "5x128x128", 128, 128)}
""",
    "loads from tensor memory do not reduce rows on this chip": f"""
    %m = ttng.tmem_alloc %x : (tensor<128x32xf32, {linear("32x32b")}>) -> {ONE}
    %y, %red = ttng.tmem_load %m {{redOp = #ttng.redOp<max>}} : {ONE} -> \
tensor<128x32xf32, {linear("32x32b")}>, \
tensor<128xf32, #ttg.slice<{{dim = 1, parent = {linear("32x32b")}}}>>
""",
    "an MMA must have an mbarrier": product(),
    "all MMAs of a kernel must use CTA pairs, or none": product(
        ", %e[%yes] {is_async, two_ctas}", f", {BARRIER}"
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_tcgen05_errors(message):
    with pytest.raises(WeftError, match=message):
        lower(parse_module(body_of(REFUSED[message])))


@pytest.mark.parametrize(("kind", "rows"), [("fp16", 128), ("bf16", 64)])
def test_left_operand_in_tensor_memory(kind, rows):
    artifact = weft.compile(
        chained,
        signature=f"*{kind}:16, *{kind}:16, *{kind}:16, *fp32:16, {rows}, 32",
        target="cuda:100",
        num_warps=4,
    )
    require_same(artifact, tolerance=3e-2)


def two_halves() -> str:
    """Return a kernel with two buffers of 64 rows that are live at once."""
    layout = (
        "#ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[1, 0], [2, 0], [4, 0],"
        " [8, 0], [0, 16]], warp = [[16, 0], [32, 0]], block = []}>"
    )
    tensor, memory = f"tensor<64x32xf32, {layout}>", buffer("f32", "64x32", 64, 32)
    body = f"""
    %yes = arith.constant true
    %m = ttng.tmem_alloc %x : ({tensor}) -> {memory}
    %twice = arith.addf %x, %x : {tensor}
    %k = ttng.tmem_alloc %twice : ({tensor}) -> {memory}
    %u = ttng.tmem_load %m : {memory} -> {tensor}
    %v = ttng.tmem_load %k : {memory} -> {tensor}
    %s = arith.addf %u, %v : {tensor}
    tt.store %a, %s : tensor<64x32x!tt.ptr<f32>, {layout}>
"""
    return tile_kernel("cuda:100", layout, 64, 32, "f32", body)


def test_two_buffers_of_64_rows_share_columns():
    module = parse_module(two_halves())
    inputs = np.arange(64 * 32, dtype=np.float32)
    _, actual = simulated(module, [inputs, np.zeros_like(inputs)])
    np.testing.assert_array_equal(actual, 3 * inputs)
    assert "shared::cta.b32 [$1], 32;" in lower(module).text


def test_barrier_before_mma_reads_stores_of_other_warps(monkeypatch):
    store = f"    ttng.tmem_store %x, %m, %yes : tensor<128x32xf32, {linear('32x32b')}> -> {ONE}\n"
    dot = product(", %e[%yes] {is_async}", f", {BARRIER}")
    module = parse_module(body_of(dot.replace("    ttng.tc_gen5", store + "    ttng.tc_gen5")))
    inputs = np.zeros(128 * 32, np.float32)
    with pytest.raises(
        WeftError, match="no barrier was initialized"
    ):  # the product itself is in order
        simulated(module, [inputs, inputs])
    monkeypatch.setattr(
        "weft.analysis.hazards.analysis.tensor_memory_accesses", lambda op, memory: ()
    )
    with pytest.raises(WeftError, match="on tensor memory that other warps accessed"):
        simulated(module, [inputs, inputs])


@pytest.mark.parametrize("length", [64, 128, 320])
def test_access_to_columns_of_an_unfinished_mma_is_reported(length):
    """The code after Triton's pipelined loop waits for the MMA of the last iteration."""
    golden = Path(__file__).parents[2] / "golden"
    texts = [(golden / f"linear_attention.{kind}").read_text() for kind in ("ttir", "ttgir")]
    ttir, ttgir = map(parse_module, texts)
    kernel = kernel_of(ttir)
    random = np.random.default_rng(0)
    arrays = [(random.standard_normal(1 << 16) / 8).astype(ml_dtypes.bfloat16) for _ in range(4)]
    expected, actual = ([*(array.copy() for array in arrays), length] for _ in range(2))
    interpret(ttir, kernel.symbol, (1,), expected)
    llvm = lower(ttgir)
    run(llvm.text, grid=(1,), arguments=actual, warp_size=32, shared_bytes=llvm.shared_bytes)
    wide = [np.asarray(each[3]).astype(np.float32) for each in (actual, expected)]
    np.testing.assert_allclose(*wide, rtol=2e-2, atol=2e-2)
