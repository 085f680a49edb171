"""Operations of real packages, forward and backward: inputs, and how each is called.

The packages are imported from a folder, unchanged. A workload names its operation, and makes the
same inputs in every process (`torch.manual_seed`).
"""

from __future__ import annotations

from benchmarks.real_package_workloads import (
    bitsandbytes,
    fla,
    flag_gems,
    gemlite,
    liger,
    lightllm,
    mamba,
    unsloth,
    xformers,
)
from benchmarks.real_package_workloads.inputs import Build, Inputs, Operation

__all__ = ["FOLDERS", "OMITTED", "WORKLOADS", "Inputs", "Operation"]

FOLDERS = {
    "liger": "liger/src",
    "fla": "fla",
    "flaggems": "flaggems/src",
    "mamba": "mamba",
    "bitsandbytes": "bnb",
    "gemlite": "gemlite",
    "lightllm": "lightllm",
    "unsloth": "unsloth",
    "xformers": "xformers",
}
"""The folder of each package below that of --packages."""

PACKAGES = (
    liger, fla, flag_gems, mamba, bitsandbytes, gemlite, lightllm, unsloth, xformers,
)  # fmt: skip

WORKLOADS: dict[str, Build] = {
    name: build for package in PACKAGES for name, build in package.WORKLOADS.items()
}
"""The operation of each name: the package, and the operation."""

OMITTED: dict[str, str] = {
    name: reason for package in PACKAGES for name, reason in package.OMITTED.items()
}
"""Operations that are not run, with the reason."""
