"""`triton.profiler.viewer`: print a profile as a tree, with metrics for each scope and kernel.

tree, metrics = parse(["tflop16/s", "time/ms"], "matmul.hatchet")
print_tree(tree, metrics)

tflop16/s, time/ms
   312.400      0.440 ROOT
   312.400      0.440 └─ matmul_kernel [M=4096, N=4096, K=4096]
"""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from weft.errors import LaunchError

__all__ = ["main", "parse", "print_tree", "show_metrics"]

_TIME, _COUNT = "time (ns)", "count"
_NS_PER_UNIT = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
_RATE_SCALES = {"": 1.0, "g": 1e9, "t": 1e12}
_TIME_METRIC = re.compile(r"(avg_)?time/(s|ms|us|ns)")
_RATE_METRIC = re.compile(r"(|g|t)(flop|byte)(\d*)/s")


class _ProfileNode(TypedDict):
    """A node of the file.

    Attributes:
        frame: Its "name".
        metrics: Its own metrics.
        children: Its scopes and kernels.
    """

    frame: dict[str, str]
    metrics: dict[str, float]
    children: list[_ProfileNode]


class Tree(TypedDict):
    """A node with the metrics that are printed.

    Attributes:
        name: Name of the scope or kernel.
        values: Values by metric; None where the node lacks one.
        children: Its scopes and kernels.
    """

    name: str
    values: dict[str, float | None]
    children: list[Tree]


def parse(metrics: Sequence[str], filename: str | Path) -> tuple[Tree, list[str]]:
    """Read a profile.

    Args:
        metrics: "time/ms" and "avg_time/us", with s, ms, us or ns; "flop/s", "flop16/s", "byte/s",
            with g or t as prefix; "count"; or the name of a metric of a scope or kernel.
        filename: The file.

    Returns:
        The tree, and the names of the metrics.

    Raises:
        LaunchError: No such file, or a metric that the profile does not have.
    """
    root = _read(filename)
    names = [name.lower() for name in metrics]
    totals = _totals(root)
    for name in names:
        is_derived = _TIME_METRIC.fullmatch(name) or _RATE_METRIC.fullmatch(name)
        if not is_derived and name not in totals:
            raise LaunchError(
                f"the profile has no metric {name}",
                found=name,
                accepted=["time/ms", "avg_time/ms", "tflop/s", "gbyte/s", *totals],
            )
    return _evaluate_tree(root, names), names


def _read(filename: str | Path) -> _ProfileNode:
    path = Path(filename)
    try:
        return json.loads(path.read_text())[0]
    except (OSError, ValueError) as error:
        raise LaunchError("cannot read the profile", found=f"{path}: {error}") from None


def show_metrics(file_name: str | Path) -> None:
    """Print the metrics of a profile; "time/ms" and rates are computed from them."""
    print("Available metrics:", *_totals(_read(file_name)), sep="\n- ")


def _totals(node: _ProfileNode) -> dict[str, float]:
    """Sum the metrics of a node's children. Metrics of the node itself take precedence."""
    totals: dict[str, float] = {}
    for child in node["children"]:
        for name, value in _totals(child).items():
            totals[name] = totals.get(name, 0) + value
    return totals | node["metrics"]


def _evaluate_tree(node: _ProfileNode, names: Sequence[str]) -> Tree:
    totals = _totals(node)
    return {
        "name": node["frame"]["name"],
        "values": {name: _evaluate(name, totals) for name in names},
        "children": [_evaluate_tree(child, names) for child in node["children"]],
    }


def _evaluate(name: str, totals: dict[str, float]) -> float | None:
    """Compute a metric; None if the node lacks what it is computed from."""
    time = totals.get(_TIME)
    if (match := _TIME_METRIC.fullmatch(name)) is not None:
        if time is None:
            return None
        runs = totals.get(_COUNT, 1) if match[1] else 1
        return time / _NS_PER_UNIT[match[2]] / runs
    if (match := _RATE_METRIC.fullmatch(name)) is not None:
        amount = totals.get(f"{match[2]}s{match[3]}")
        return amount / (time * 1e-9) / _RATE_SCALES[match[1]] if amount and time else None
    return totals.get(name)


def print_tree(tree: Tree, metrics: Sequence[str]) -> None:
    """Print a tree, one line per node."""
    print(", ".join(metrics))
    _print_node(tree, metrics, "", "")


def _print_node(node: Tree, metrics: Sequence[str], prefix: str, child_prefix: str) -> None:
    values = (node["values"][name] for name in metrics)
    cells = " ".join("        - " if value is None else f"{value:10.3f}" for value in values)
    print(f"{cells} {prefix}{node['name']}")
    for n, child in enumerate(node["children"]):
        is_last = n == len(node["children"]) - 1
        branch, indent = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        _print_node(child, metrics, child_prefix + branch, child_prefix + indent)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the profile that the command line names.

    Raises:
        LaunchError: As `parse`.
    """
    parser = ArgumentParser(description="Print a profile.")
    parser.add_argument("file", help="the profile")
    parser.add_argument("-l", "--list", action="store_true", help="list the metrics")
    parser.add_argument("-m", "--metrics", default="", help="such as time/ms,tflop16/s")
    options = parser.parse_args(arguments)
    if options.list or not options.metrics:
        show_metrics(options.file)
        return
    print_tree(*parse(options.metrics.split(","), options.file))


if __name__ == "__main__":
    main()
