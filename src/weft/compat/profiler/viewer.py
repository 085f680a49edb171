"""Print what the profiler wrote, as a tree with a number for each scope and kernel.

tree, metrics = parse(["tflop16/s", "time/ms"], "matmul.hatchet")
print_tree(tree, metrics)

312.4 tflop16/s, 0.440 time/ms   ROOT
312.4            0.440           └─ matmul_kernel [M=4096, N=4096, K=4096]
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft.errors import LaunchError

__all__ = ["parse", "print_tree"]

_TIME, _COUNT = "time (ns)", "count"
_UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
_SCALES = {"": 1.0, "g": 1e9, "t": 1e12}
_TIMES = re.compile(r"(avg_)?time/(s|ms|us|ns)")
_RATES = re.compile(r"(|g|t)(flop|byte)(\d*)/s")


def parse(metrics: Sequence[str], filename: str | Path) -> tuple[dict[str, Any], list[str]]:
    """Read a file of the profiler.

    Args: metrics: "time/ms" and "avg_time/us" with s, ms, us, ns; "flop/s", "flop16/s", "byte/s"
          with g or t in front; "count"; or what a scope or a kernel said of itself, by its name.
    Returns: the tree, whose nodes have "name", "values" by metric, and "children"; the metrics.
    Raises: LaunchError: no such file, or a metric that nothing in it has.
    """
    path = Path(filename)
    try:
        root = json.loads(path.read_text())[0]
    except (OSError, ValueError) as error:
        raise LaunchError("no file of a profile", found=f"{path}: {error}") from None
    names = [name.lower() for name in metrics]
    tree = _valued(root, names)
    sums = _sums(root)
    for name in names:
        if not (_TIMES.fullmatch(name) or _RATES.fullmatch(name)) and name not in sums:
            raise LaunchError(
                "nothing in the profile has this metric",
                found=name,
                accepted=["time/ms", "avg_time/ms", "tflop/s", "gbyte/s", *sums],
            )
    return tree, names


def _sums(node: dict[str, Any]) -> dict[str, float]:
    """Return all metrics of a node, those of its children added.

    What is said of a scope stands for the kernels in it.
    """
    found: dict[str, float] = {}
    for child in node["children"]:
        for name, value in _sums(child).items():
            found[name] = found.get(name, 0) + value
    return found | node["metrics"]


def _valued(node: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    sums = _sums(node)
    return {
        "name": node["frame"]["name"],
        "values": {name: _value(name, sums) for name in names},
        "children": [_valued(child, names) for child in node["children"]],
    }


def _value(name: str, sums: dict[str, float]) -> float | None:
    """Return a metric; None where the node does not have what it is made of."""
    time = sums.get(_TIME)
    if (match := _TIMES.fullmatch(name)) is not None:
        if time is None:
            return None
        runs = sums.get(_COUNT, 1) if match[1] else 1
        return time / _UNITS[match[2]] / runs
    if (match := _RATES.fullmatch(name)) is not None:
        amount = sums.get(f"{match[2]}s{match[3]}")
        return amount / (time * 1e-9) / _SCALES[match[1]] if amount and time else None
    return sums.get(name)


def print_tree(tree: dict[str, Any], metrics: Sequence[str]) -> None:
    """Print a tree, a line for each node."""
    print(", ".join(metrics))
    _print_node(tree, metrics, "", "")


def _print_node(node: dict[str, Any], metrics: Sequence[str], lead: str, below: str) -> None:
    values = (node["values"][name] for name in metrics)
    cells = " ".join("        - " if each is None else f"{each:10.3f}" for each in values)
    print(f"{cells} {lead}{node['name']}")
    for n, child in enumerate(node["children"]):
        is_last = n == len(node["children"]) - 1
        mark, more = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        _print_node(child, metrics, below + mark, below + more)
