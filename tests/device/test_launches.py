"""On a GPU: launches from torch and other libraries, in streams, threads and graphs; tuning."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
import weft  # noqa: E402
import weft.language as tl  # noqa: E402
from weft import knobs  # noqa: E402
from weft.errors import LaunchError  # noqa: E402

pytestmark = pytest.mark.device
GRID = (32,)
N = 4096


@weft.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@weft.jit
def increment(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@weft.jit
def product(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a + rows[:, None] * K + k[None, :])
        y = tl.load(b + k[:, None] * N + columns[None, :])
        total += tl.dot(x, y)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


def data(dtype=None):
    x, y = (torch.rand(N, device="cuda") * 100 for _ in range(2))
    return [each.to(dtype or torch.float32) for each in (x, y, torch.zeros_like(x))]


class Dlpack:
    """An array that only supports DLPack."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **arguments):
        return self.tensor.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


class Interface:
    """An array that only supports `__cuda_array_interface__`."""

    def __init__(self, tensor, stream=None):
        self.tensor, self.stream = tensor, stream

    @property
    def __cuda_array_interface__(self):
        interface = dict(self.tensor.__cuda_array_interface__)
        return interface | {"version": 3, "stream": self.stream}


@pytest.fixture(autouse=True)
def cache_dir(monkeypatch, tmp_path):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))


@pytest.fixture
def kernel():
    return weft.jit(add.fn)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32])
@pytest.mark.parametrize("n", [1, N - 1, N])
def test_tensors(kernel, dtype, n):
    for _ in range(3):
        x, y, out = data(dtype)
        kernel[lambda meta: (weft.cdiv(meta["n"], meta["BLOCK"]),)](x, y, out, n, BLOCK=128)
        assert torch.equal(out[:n], (x + y)[:n])
        assert not out[n:].any()


@pytest.mark.parametrize("wrap", [Dlpack, Interface])
def test_arrays_of_other_libraries(kernel, wrap):
    for _ in range(2):
        x, y, out = data()
        torch.cuda.synchronize()
        kernel[GRID](wrap(x), y, wrap(out), N, BLOCK=128)
        torch.cuda.synchronize()
        assert torch.equal(out, x + y)


def test_a_launch_goes_to_the_current_stream_and_waits_for_others(kernel):
    x, y, out = data()
    kernel[GRID](x, y, out, N, BLOCK=128)
    side = torch.cuda.Stream()
    for wrapped in (False, True):
        out.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(100_000_000)
            x.add_(1.0)
            if not wrapped:
                kernel[GRID](x, y, out, N, BLOCK=128)
                assert not side.query(), "the host waits for nothing"
        if wrapped:
            kernel[GRID](Interface(x, side.cuda_stream), y, out, N, BLOCK=128)
        torch.cuda.synchronize()
        assert torch.equal(out, x + y)


def test_graphs_record_launches(kernel):
    x, y, out = data()
    kernel[GRID](x, y, out, N, BLOCK=128)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kernel[GRID](x, y, out, N, BLOCK=128)
    out.zero_()
    x.add_(1.0)
    graph.replay()
    assert torch.equal(out, x + y)


def test_threads(kernel):
    x, y, _ = data()
    outs = [torch.zeros(N, device="cuda") for _ in range(4)]
    torch.cuda.synchronize()

    def work(out):
        for _ in range(200):
            kernel[GRID](x, y, out, N, BLOCK=128)

    threads = [threading.Thread(target=work, args=(out,)) for out in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    torch.cuda.synchronize()
    assert all(torch.equal(out, x + y) for out in outs)


def test_wrong_devices(kernel):
    x, y, out = data()
    for _ in range(2):
        with pytest.raises(LaunchError, match="x on GPU 0, y on the CPU"):
            kernel[GRID](x, y.cpu(), out, N, BLOCK=128)
        with pytest.raises(LaunchError, match="on the device of parameter y"):
            kernel[GRID](x, y.to("meta"), out, N, BLOCK=128)
        kernel[GRID](x, y.cpu().pin_memory(), out, N, BLOCK=128)
        torch.cuda.synchronize()
        assert torch.equal(out, x + y)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one GPU")
def test_each_gpu(kernel):
    for number in (1, 0, 1):
        x, y, out = (each.to(f"cuda:{number}") for each in data())
        torch.cuda.synchronize(number)
        kernel[GRID](x, y, out, N, BLOCK=128)
        torch.cuda.synchronize(number)
        assert torch.equal(out, x + y)
    assert torch.cuda.current_device() == 0


def test_register_counts_and_hooks(kernel):
    program = kernel.warmup(*[torch.float32] * 3, N, BLOCK=128, grid=(1,))
    assert program.n_regs > 0
    assert program.n_spills == 0
    x, y, out = data()
    program[GRID](x, y, out, N, 128)
    torch.cuda.synchronize()
    assert torch.equal(out, x + y)
    names: list[str] = []
    hook = lambda metadata: names.append(metadata.get()["name"])  # noqa: E731
    knobs.runtime.launch_enter_hook.add(hook)
    assert kernel[GRID](x, y, out, N, BLOCK=128) is program
    knobs.runtime.launch_enter_hook.remove(hook)
    assert names == ["add"]


@pytest.mark.parametrize("option", ["launch_cooperative_grid", "launch_pdl"])
def test_launch_attributes(kernel, option):
    for _ in range(2):
        x, y, out = data()
        kernel[GRID](x, y, out, N, BLOCK=128, **{option: True})
        torch.cuda.synchronize()
        assert torch.equal(out, x + y)


@pytest.mark.parametrize("by_graph", [False, True])
def test_tuning(by_graph):
    sizes = ((64, 64, 32, 4), (128, 128, 64, 8), (256, 256, 256, 8))
    configs = [weft.Config({"BM": m, "BN": n, "BK": k}, num_warps=w) for m, n, k, w in sizes]
    tuned = weft.autotune(configs, key=["N"], use_cuda_graph=by_graph)(weft.jit(product.fn))
    a = torch.randn(1024, 1024, device="cuda", dtype=torch.float16)
    c = torch.empty_like(a)
    for _ in range(2):
        tuned[lambda meta: (1024 // meta["BM"], 1024 // meta["BN"])](a, a, c, 1024, 1024)
    torch.testing.assert_close(c.float(), a.float() @ a.float(), rtol=1e-2, atol=0.5)
    assert "shared memory" in tuned.trials[2].reason
    assert all(0 < trial.times[0] < 10 for trial in tuned.trials[:2])


def test_restore_value_restores_arguments():
    configs = [weft.Config({"BLOCK": block}) for block in (128, 1024)]
    tuned = weft.autotune(configs, key=["n"], restore_value=["x"])(weft.jit(increment.fn))
    x = torch.zeros(N, device="cuda")
    tuned[lambda meta: (weft.cdiv(N, meta["BLOCK"]),)](x, N)
    torch.cuda.synchronize()
    assert torch.equal(x, torch.ones_like(x))


SECOND = """
import sys, torch
from tests.device.test_launches import GRID, N, add, data
x, y, out = data()
add[GRID](x, y, out, N, BLOCK=128)
torch.cuda.synchronize()
assert torch.equal(out, x + y)
print("xdsl" in sys.modules)
"""


def test_the_next_process_needs_no_compiler():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SECOND],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for _ in range(2)
    ]
    assert outputs == ["True", "False"]
