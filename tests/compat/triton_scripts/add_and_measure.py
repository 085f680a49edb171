"""A sum, measured with perf_report: what the first tutorials do."""

import sys

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(
        output_ptr + offsets,
        tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask),
        mask=mask,
    )


def add(x, y):
    output = torch.empty_like(x)
    assert x.device == y.device == output.device == DEVICE
    grid = lambda meta: (triton.cdiv(output.numel(), meta["BLOCK_SIZE"]),)  # noqa: E731
    add_kernel[grid](x, y, output, output.numel(), BLOCK_SIZE=1024)
    return output


torch.manual_seed(0)
x, y = torch.rand(5000, device=DEVICE), torch.rand(5000, device=DEVICE)
assert torch.equal(add(x, y), x + y)


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["size"],
        x_vals=[2**i for i in range(8, 12, 2)],
        x_log=True,
        line_arg="provider",
        line_vals=["triton", "torch"],
        line_names=["Triton", "Torch"],
        styles=[("blue", "-"), ("green", "-")],
        ylabel="GB/s",
        plot_name="vector-add",
        args={},
    )
)
def benchmark(size, provider):
    x = torch.rand(size, device=DEVICE, dtype=torch.float32)
    y = torch.rand(size, device=DEVICE, dtype=torch.float32)
    quantiles = [0.5, 0.2, 0.8]
    call = (lambda: x + y) if provider == "torch" else (lambda: add(x, y))
    ms, fastest, slowest = triton.testing.do_bench(call, 1, 2, quantiles=quantiles)
    return tuple(3 * x.numel() * 4 * 1e-6 / time for time in (ms, slowest, fastest))


benchmark.run(print_data=True, show_plots=True, save_path=sys.argv[1])
