"""What `torch.compile` uses of `triton`: compiled kernels, pickles, views of IR."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
import weft.language as tl
from weft.compat import backends, runtime
from weft.compat._C.libtriton import ir, native_specialize_impl
from weft.compat.backends.compiler import GPUTarget
from weft.compat.compiler import ASTSource, CompiledKernel, make_backend
from weft.compat.compiler import compile as triton_compile
from weft.compat.runtime import driver
from weft.compat.runtime.jit import mangle_type
from weft.compat.tools.tensor_descriptor import TensorDescriptor
from weft.errors import IgnoredOptionWarning, OutOfResourcesError, UnknownTargetError

CUDA = GPUTarget("cuda", 90, 32)
SIGNATURE = {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"}


@weft.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    return tmp_path


def source() -> ASTSource:
    return ASTSource(copy, SIGNATURE, {"BLOCK": 64}, {(0,): [["tt.divisibility", 16]]})


def test_a_compiled_kernel_has_tritons_fields(cache: Path):
    kernel = triton_compile(
        source(), target=CUDA, options={"num_warps": 2, "enable_reflect_ftz": True}
    )
    assert isinstance(kernel, CompiledKernel)
    assert kernel.metadata.num_warps == 2
    assert kernel.metadata.target == CUDA
    assert kernel.metadata.global_scratch_size == 0
    assert (kernel.shared, kernel.num_ctas, kernel.cluster_dims) == (0, 1, (1, 1, 1))
    assert ".entry copy" in kernel.asm["ptx"]
    assert kernel.src.constants == {(3,): 64}
    assert (cache / kernel.hash / "copy.ptx").read_text() == kernel.asm["ptx"]
    assert set(kernel.metadata_group) >= {"copy.ttir", "copy.ttgir", "copy.ptx", "copy.json"}


def test_a_compiled_kernel_is_rebuilt_from_its_dictionary(cache: Path):
    kernel = triton_compile(source(), target=CUDA)
    fields = {**kernel.__dict__, "metadata": None, "src": None, "run": None, "function": None}
    other = CompiledKernel.__new__(CompiledKernel)
    other.__dict__.update(pickle.loads(pickle.dumps(fields)))
    assert other.asm == kernel.asm
    assert other.function is None
    assert other.module is None


def test_a_kernel_is_pickled_without_its_function(cache: Path):
    @weft.jit
    def local(x, N: tl.constexpr):
        tl.store(x, N)

    text = local.src
    assert local.__globals__ is globals()
    _ = local.source
    cleared = dict.fromkeys(("fn", "__globals__", "used_global_vals", "_hash_lock"))
    for name, value in {**cleared, "repr": repr}.items():
        setattr(local, name, value)
    other = pickle.loads(pickle.dumps(local))
    assert (other.fn, other.src, other.arg_names) == (None, text, ["x", "N"])
    assert [(each.num, each.name) for each in other.params if each.is_constexpr] == [(1, "N")]
    assert text.startswith("def local(x")


def test_the_cpu_device_runs_a_compiled_kernel(cache: Path):
    kernel = triton_compile(source(), target=GPUTarget("cpu", "cpu", 1))
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    assert isinstance(kernel, CompiledKernel)
    kernel._init_handles()
    metadata = kernel.launch_metadata((2, 1, 1), 0, x, y, 100, 64)
    kernel.run(
        2, 1, 1, 0, kernel.function, kernel.packed_metadata, metadata, None, None, x, y, 100, 64
    )
    assert (x == y).all()
    y[:] = 0
    kernel[(2,)](x, y, 100, 64)
    assert (x == y).all()


def test_the_cpu_device_runs_a_kernel_that_another_process_compiled(cache: Path):
    @weft.jit
    def local(x, y, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)

    described = ASTSource(local, SIGNATURE, {"BLOCK": 64})
    kernel = triton_compile(described, target=GPUTarget("cpu", "cpu", 1))
    for name in ("fn", "__globals__", "used_global_vals", "_hash_lock"):
        setattr(local, name, None)  # as torch.compile's worker processes do
    setattr(local, "repr", repr)  # noqa: B010
    state = pickle.loads(pickle.dumps({**kernel.__dict__, "metadata": None}))
    other = CompiledKernel.__new__(CompiledKernel)
    other.__dict__.update(state)
    other._init_handles()
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    other.run(2, 1, 1, 0, other.function, None, None, None, None, x, y, 100, 64)
    assert (x == y).all()


SCAN_SIGNATURE = {"x": "*fp32", "y": "*fp32", "ws": "*u64", "n": "i32", "BLOCK": "constexpr"}


@weft.jit
def add(a, b):
    return a + b


@weft.jit
def packed(value, flag):
    bits = value.to(tl.core._unwrap_if_constexpr(tl.uint32), bitcast=True)
    return (bits.to(tl.uint64) << 32) | flag.to(tl.uint64)


@weft.jit
def scan_of_blocks(x, y, ws, n, BLOCK: tl.constexpr):
    """Scan with decoupled look-back: a block waits for the prefixes of those before it."""
    block = tl.program_id(0)
    i = block * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i, mask=i < n, other=0.0)
    total = tl.sum(values, 0)
    prefix = tl.zeros([], tl.float32)
    if block > 0:
        tl.atomic_xchg(ws + block, packed(total, tl.full([], 1, tl.uint32)), sem="relaxed")
        target = block - 1
        while target >= 0:
            flag, word = tl.full([], 0, tl.uint32), tl.full([], 0, tl.uint64)
            while flag == 0:
                word = tl.atomic_add(ws + target, 0, sem="relaxed")
                flag = word.to(tl.uint32)
            prefix = (word >> 32).to(tl.uint32).to(tl.float32, bitcast=True) + prefix
            target = -1 if flag == 2 else target - 1
    tl.atomic_xchg(ws + block, packed(prefix + total, tl.full([], 2, tl.uint32)), sem="relaxed")
    tl.store(y + i, tl.associative_scan(values, 0, add) + prefix, mask=i < n)


def test_a_split_scan_compiles_and_runs(cache: Path):
    scan = ASTSource(scan_of_blocks, SCAN_SIGNATURE, {"BLOCK": 64})
    assert "atom" in triton_compile(scan, target=CUDA).asm["ptx"]
    x = np.random.default_rng(0).random(500, np.float32)
    y, words = np.zeros_like(x), np.zeros(8, np.uint64)
    triton_compile(scan, target=GPUTarget("cpu", "cpu", 1))[(8,)](x, y, words, 500, 64)
    np.testing.assert_allclose(y, np.cumsum(x), rtol=1e-5)


def test_backends_by_target():
    with pytest.warns(IgnoredOptionWarning, match="unknown=1 has no effect"):
        options = make_backend(CUDA).parse_options({"num_warps": 8, "unknown": 1})
    assert (options.num_warps, options.backend_name) == (8, "cuda")
    assert "fp8e4nv" in options.supported_fp8_dtypes
    assert make_backend(GPUTarget("hip", "gfx942", 64)).binary_ext == "hsaco"
    assert make_backend(CUDA).parse_attr("D") == [["tt.divisibility", 16]]
    with pytest.raises(UnknownTargetError, match="0 compatible backends"):
        make_backend(GPUTarget("xpu", 1, 32))


def test_a_driver_is_set():
    cpu = backends.backends["cpu"].driver()
    try:
        driver.set_active(cpu)
        assert driver.active.get_current_target().backend == "cpu"
    finally:
        driver.reset_active()
    assert driver.active is driver.default


def test_arguments_are_specialized_without_a_kernel():
    aligned = np.zeros(64, np.float32)
    aligned = aligned[(-aligned.ctypes.data % 16) // 4 :]
    assert native_specialize_impl(None, aligned, False, True, True) == ("*fp32", "D")
    assert native_specialize_impl(None, aligned, True, True, False) == ("*kfp32", "")
    assert native_specialize_impl(None, 1, False, True, True) == ("constexpr", 1)
    assert native_specialize_impl(None, 1, False, False, True) == ("i32", None)
    assert mangle_type(1 << 40) == "i64"


@weft.jit
def asserting(x, n, CTAS: tl.constexpr):
    tl.device_assert(n < CTAS)
    tl.store(x, n + n)


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ({}, set()),
        ({"debug": True}, {"tt.assert", "arith.extsi"}),
        ({"debug": True, "sanitize_overflow": False}, {"tt.assert"}),
    ],
)
def test_ttir_depends_on_the_options(options, texts):
    backend, context = make_backend(CUDA), ir.context()
    signature = {"x": "*i32", "n": "i32", "CTAS": "constexpr"}
    asserts = ASTSource(asserting, signature, {"CTAS": 2}, {})
    module = asserts.make_ir(CUDA, backend.parse_options(options), {}, {}, context)
    names: list[str] = []
    module.walk(lambda op: names.append(op.get_name()))
    assert {"tt.assert", "arith.extsi"} & set(names) == texts


def test_ttir_is_walked_by_tritons_methods():
    backend = make_backend(CUDA)
    context = ir.context()
    backend.load_dialects(context)
    module = source().make_ir(CUDA, backend.parse_options({}), {}, {}, context)
    assert module.verify()
    names, stored = [], []

    def visit(op):
        names.append(op.get_name())
        if op.get_name() == "tt.func":
            assert op.get_str_attr("sym_name") == "copy"
        if op.get_name() == "tt.store":
            stored.append(op.get_operand(0).id())
            block = op.get_block()
            assert block.get_num_arguments() == 3
            assert block.get_parent().id() == block.get_parent().id()

    module.walk(visit)
    assert names[-2:] == ["tt.func", "builtin.module"]
    assert len(stored) == 1


@weft.jit
def staged_dot(a, b, c, K, N: tl.constexpr):
    rows, columns = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    sums = tl.zeros((N, N), tl.float32)
    for k in range(0, K, N):
        sums += tl.dot(tl.load(a + rows * K + k + columns), tl.load(b + (k + rows) * N + columns))
    tl.store(c + rows * N + columns, sums)


def test_a_configuration_with_too_much_shared_memory_is_skipped_by_autotuners(cache: Path):
    signature = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32", "N": "constexpr"}
    divisible: Any = {(n,): [["tt.divisibility", 16]] for n in range(4)}
    kernel = ASTSource(staged_dot, signature, {"N": 128}, divisible)
    with pytest.raises(OutOfResourcesError, match="needs more shared memory") as caught:
        triton_compile(kernel, target=CUDA, options={"num_stages": 6, "num_warps": 8})
    # Worker processes pickle it.
    error = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(error, runtime.autotuner.OutOfResources)
    assert error.name == "shared memory"
    assert error.required > error.limit == 232448


def test_dynamo_recognizes_from_tensor_by_identity():
    assert TensorDescriptor.from_tensor is TensorDescriptor.from_tensor
