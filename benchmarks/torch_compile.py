"""Run functions under torch.compile with weft and with Triton: results, compile time, run time.

    python -m benchmarks.torch_compile [--only conv] [--json FILE] [--seconds N] [--device cpu]

Each compiler runs in a separate process with empty caches. A difference is from eager's result,
relative to its largest value; a run time is the median of several, on a GPU by events. On the CPU
device, Inductor's Triton back end runs weft's kernels in the interpreter, at tiny sizes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import torch
import torch.nn.functional as nn

from benchmarks.compiler_process import COMPILERS, Answer, Processes, add_options, each_name, serve
from benchmarks.timing import print_table

RUNS, ITEM_SECONDS = 21, 300.0
Tensor = torch.Tensor


@dataclass(frozen=True, slots=True)
class Item:
    """A function to compile.

    Attributes:
        function: The function.
        shapes: The shapes of its tensors on a GPU; the extents are at most 16 on the CPU device.
        backward: Whether to run it backward, too.
        mode: The mode of torch.compile.
        dtype: The element type.
    """

    function: Callable[..., Any]
    shapes: Sequence[tuple[int, ...]]
    backward: bool = False
    mode: str | None = None
    dtype: torch.dtype = torch.float32


def _block(x: Tensor, project: Tensor, out: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """Apply a transformer block with 8 heads."""
    batch, length, width = x.shape
    normal = nn.layer_norm(x, (width,))
    query, key, value = (
        each.view(batch, length, 8, -1).transpose(1, 2) for each in (normal @ project).chunk(3, -1)
    )
    scores = torch.softmax(query @ key.transpose(-1, -2) / key.shape[-1] ** 0.5, -1)
    x = x + (scores @ value).transpose(1, 2).reshape(batch, length, width) @ out
    return x + nn.gelu(nn.layer_norm(x, (width,)) @ up) @ down


def _convolution(x: Tensor, weight: Tensor) -> Tensor:
    """Apply a convolution, an activation, and two kinds of pooling."""
    pooled = nn.max_pool2d(nn.relu(nn.conv2d(x, weight[:, :, :3, :3], padding=1)), 3, 2, 1)
    return nn.avg_pool2d(pooled, 2)


ITEMS: dict[str, Item] = {
    "pointwise": Item(
        lambda x, y: nn.gelu(x) * torch.sigmoid(y) + torch.erf(x) + torch.lgamma(y.abs() + 1),
        [(4096, 4096), (4096, 4096)],
    ),
    "reductions": Item(
        lambda x: (x.var(0), x.softmax(1), x.amax(1), x.argmin(0), x.mean(), x.norm(dim=1)),
        [(4096, 4096)],
    ),
    "split reduction": Item(lambda x: (x.sum(), x.square().mean()), [(1 << 26,)]),
    "scans": Item(
        lambda x: (x.cumsum(1), x.logcumsumexp(1), (x / 100 + 1).cumprod(1)), [(2048, 512)]
    ),
    "split scan": Item(lambda x: x.cumsum(0), [(1 << 24,)]),
    "sorting": Item(
        lambda x: (x.sort(dim=1)[0], (x * 2).sort(dim=1, stable=True)[1]), [(4096, 256)]
    ),
    "convolution and pooling": Item(_convolution, [(32, 16, 112, 112), (64, 16, 3, 3)], True),
    "layer norm, backward": Item(
        lambda x, w, b: nn.layer_norm(x, (x.shape[1],), w, b),
        [(8192, 4096), (4096,), (4096,)],
        True,
    ),
    "cross entropy, backward": Item(
        lambda x: nn.cross_entropy(x, torch.arange(x.shape[0], device=x.device) % x.shape[1]),
        [(4096, 32000)],
        True,
    ),
    "transformer block, backward": Item(
        _block,
        [(8, 512, 1024), (1024, 3072), (1024, 1024), (1024, 4096), (4096, 1024)],
        True,
        dtype=torch.bfloat16,
    ),
    "cudagraphs": Item(
        lambda x: (x.sin().softmax(1) + x.cumsum(1)).relu(),
        [(64, 64)],
        mode="reduce-overhead",
    ),
    "max-autotune matmul": Item(
        lambda a, b: nn.relu(a @ b),
        [(4096, 4096), (4096, 4096)],
        mode="max-autotune-no-cudagraphs",
        dtype=torch.bfloat16,
    ),
}


class _Worker:
    """What a child process answers: {"run": name}."""

    def __init__(self, device: str) -> None:
        self.device = device
        torch.set_float32_matmul_precision("high")
        if device == "cpu":
            import torch._inductor.config as config

            config.cpu_backend = "triton"
            config.compile_threads = 1

    def __call__(self, request: Answer) -> Answer:
        torch._dynamo.reset()
        torch.manual_seed(0)
        item = ITEMS[request["run"]]
        tensors = [self._tensor(shape, item) for shape in item.shapes]
        compiled = torch.compile(item.function, mode=item.mode)
        expected = _leaves(_step(item.function, tensors, item.backward))
        start = time.perf_counter()
        results = _leaves(_step(compiled, tensors, item.backward))
        self._wait()
        seconds = time.perf_counter() - start
        for _ in range(3):  # a CUDA graph is recorded in the second run
            results = _leaves(_step(compiled, tensors, item.backward))
        return {
            "difference": max(map(_difference, results, expected)),
            "compile_seconds": seconds,
            "us": self._time(lambda: _step(compiled, tensors, item.backward)),
            "eager_us": self._time(lambda: _step(item.function, tensors, item.backward)),
        }

    def _tensor(self, shape: tuple[int, ...], item: Item) -> Tensor:
        extents = [min(each, 16) for each in shape] if self.device == "cpu" else shape
        if self.device == "cpu" and item.function is _block:
            # The widths of a block are multiples of its first: 16, 48, 64.
            extents = [16 * each // 1024 if each >= 1024 else min(each, 8) for each in shape]
        scale = extents[0] ** -0.5 if len(extents) == 2 and item.function is _block else 1.0
        tensor = (torch.randn(*extents, device=self.device) * scale).to(item.dtype)
        return tensor.requires_grad_(item.backward)

    def _time(self, call: Callable[[], object]) -> float:
        if self.device == "cpu":
            start = time.perf_counter()
            call()
            return (time.perf_counter() - start) * 1e6
        times: list[float] = []
        for _ in range(RUNS):
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda.synchronize()
            start.record()
            call()
            end.record()
            torch.cuda.synchronize()
            times.append(start.elapsed_time(end) * 1e3)
        return median(times)

    def _wait(self) -> None:
        if self.device != "cpu":
            torch.cuda.synchronize()


def _step(function: Callable[..., Any], tensors: Sequence[Tensor], backward: bool) -> Any:
    torch.compiler.cudagraph_mark_step_begin()
    result = function(*tensors)
    if not backward:
        return result
    return result, torch.autograd.grad(result, list(tensors), torch.ones_like(result))


def _leaves(result: Any) -> list[Tensor]:
    if isinstance(result, Tensor):
        return [result.detach().clone()]
    return [leaf for each in result for leaf in _leaves(each)]


def _difference(result: Tensor, expected: Tensor) -> float:
    scale = max(expected.double().abs().max().item(), 1e-6)
    return (result.double() - expected.double()).abs().max().item() / scale


def table_row(row: Answer) -> list[str]:
    """Format a row: differences, compile seconds and µs, weft's first."""
    pairs = [row[each] for each in COMPILERS]
    if errors := [f"{each}: {row[each]['error']}" for each in COMPILERS if "error" in row[each]]:
        return [row["name"], "; ".join(errors).partition("\n")[0][:300], "", "", "", ""]
    return [
        row["name"],
        " ".join(f"{each['difference']:.1e}" for each in pairs),
        " ".join(f"{each['compile_seconds']:.1f}" for each in pairs),
        " ".join(f"{each['us']:.0f}" for each in pairs),
        f"{pairs[0]['eager_us']:.0f}",
        f"{pairs[1]['us'] / pairs[0]['us']:.2f}",
    ]


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_options(parser, "item")
    return parser.parse_args()


def main() -> None:
    """Print the table."""
    arguments = _parse()
    if arguments.serve:
        serve(_Worker(arguments.device))
        return
    rows: list[Answer] = []
    child = ["--device", arguments.device]
    with Processes("benchmarks.torch_compile", child, arguments.device) as processes:
        for name in each_name(ITEMS, arguments):
            row: Answer = {"name": name}
            for compiler, process in processes.start().items():
                row[compiler] = process.ask({"run": name}, ITEM_SECONDS)
            rows.append(row)
            print(" | ".join(table_row(row)), file=sys.stderr, flush=True)
            if arguments.json:
                Path(arguments.json).write_text(json.dumps(rows, indent=1))
    headings = ("differences", "compile s", "µs", "eager µs", "Triton / weft")
    print_table(f"weft, Triton on {arguments.device}", headings, map(table_row, rows), width=130)
    complete = [row for row in rows if not any("error" in row[each] for each in COMPILERS)]
    if ratios := [row["triton"]["us"] / row["weft"]["us"] for row in complete]:
        print(f"geometric mean of Triton / weft: {geometric_mean(ratios):.2f} of {len(ratios)}")


if __name__ == "__main__":
    main()
