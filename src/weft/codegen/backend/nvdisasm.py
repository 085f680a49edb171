"""Disassemble a cubin to SASS with NVIDIA's nvdisasm, if one is installed.

It lies beside ptxas in a CUDA toolkit and in Triton's wheel.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from weft.codegen.installed_packages import package_folders

__all__ = ["disassemble"]

_TOOLKITS = "/usr/local"


def disassemble(cubin: bytes) -> str | None:
    """Disassemble a kernel, with the source line of each instruction.

    Returns:
        The text that nvdisasm prints; None if none is installed, or it does not know the chip.
    """
    path = _find()
    if path is None:
        return None
    # nvdisasm reads files only.
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        result = subprocess.run(
            [path, "--print-line-info", "--print-code", file.name],
            capture_output=True,
            text=True,
            check=False,
        )
    return result.stdout if result.returncode == 0 else None


@cache
def _find() -> str | None:
    """Find an nvdisasm: on PATH, in a toolkit, in an installed package."""
    folders = (*package_folders("nvidia"), *package_folders("triton"))
    candidates = [
        shutil.which("nvdisasm"),
        *sorted(map(str, Path(_TOOLKITS).glob("cuda*/bin/nvdisasm")), reverse=True),
        *(
            str(path)
            for folder in folders
            for pattern in ("c*/bin/nvdisasm", "backends/nvidia/bin/nvdisasm")
            for path in Path(folder).glob(pattern)
        ),
    ]
    return next(filter(None, candidates), None)
