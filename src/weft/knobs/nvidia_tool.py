"""Programs of the CUDA toolkit: ptxas, cuobjdump, nvdisasm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import PathFinder

from weft.errors import WeftError

__all__ = ["NvidiaTool", "installed_tool"]


@dataclass
class NvidiaTool:
    """A program of the CUDA toolkit.

    Attributes:
        path: Its path.
        version: Its CUDA release: "13.0".
    """

    path: str
    version: str

    @staticmethod
    @lru_cache
    def from_path(path: str) -> NvidiaTool | None:
        """Ask a program for its release; None if it is no program of the toolkit."""
        try:
            output = subprocess.check_output([path, "--version"], stderr=subprocess.STDOUT)
        except (OSError, subprocess.CalledProcessError):
            return None
        release = re.search(r"release (\d+\.\d+)", output.decode(errors="replace"))
        return NvidiaTool(path, release[1]) if release else None


def installed_tool(binary: str) -> NvidiaTool:
    """Find a program of the CUDA toolkit on this machine.

    Raises:
        WeftError: There is none.
    """
    for path in _candidates(binary):
        tool = NvidiaTool.from_path(path)
        if tool is not None:
            return tool
    raise WeftError(
        f"Cannot find {binary}",
        found="none in CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda and the packages nvidia, triton",
        hint="install the CUDA toolkit, or nvidia-cuda-nvcc (PyPI)",
    )


def _candidates(binary: str) -> Iterator[str]:
    """Yield the paths to try, in order of preference."""
    for folder in filter(None, map(os.environ.get, ("CUDA_HOME", "CUDA_PATH"))):
        yield f"{folder}/bin/{binary}"
    yield from filter(None, [shutil.which(binary)])
    yield f"/usr/local/cuda/bin/{binary}"
    for entry in sys.path:
        spec = PathFinder.find_spec("triton", [entry])
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            yield f"{folder}/backends/nvidia/bin/{binary}"
