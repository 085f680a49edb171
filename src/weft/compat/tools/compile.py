"""`triton.tools.compile`: compile a kernel to C files that load and launch it.

    python -m triton.tools.compile kernels.py -n add -s "*fp32:16, *fp32:16, i32:16, 1024" \
        -g "(n + 1023) / 1024, 1, 1" -w 4 -t cuda:90:32 -o add

writes add.3c28e1f5_0d1d2d.h and .c. The header declares

    void load_add_3c28e1f5_0d1d2d(void);
    CUresult add_3c28e1f5_0d1d2d(CUstream stream, CUdeviceptr x, CUdeviceptr out, int32_t n);
    void unload_add_3c28e1f5_0d1d2d(void);

The digits are a digest of the signature and options; 0d says that argument 0 is divisible by 16,
6c that argument 6 is 1. `triton.tools.link` combines kernels that differ in these. The grid is C
code over the arguments. Names and files are those of Triton 3.7.1.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.compat.compiler import compile as compile_source
from weft.compat.compiler.sources import ASTSource
from weft.compat.tools.c_launchers import SCALAR_TYPES, CLauncher
from weft.compiler.signature import Signature
from weft.errors import LaunchError
from weft.kernel.kernel_interface import kernel_of
from weft.language.kernel_function import KernelFunction
from weft.launch.devices import current_target, gpu_target
from weft.targets import Target
from weft.targets import target as find_target

__all__ = ["CompileArgs", "compile_kernel", "desc", "main"]

desc = "Compile a kernel to C files that embed its machine code, load it and launch it."

_BINARIES = {"cuda": "cubin", "hip": "hsaco"}
_LETTERS = {"1": "c", "16": "d"}


@dataclass
class CompileArgs:
    """What to compile.

    Attributes:
        path: The Python file of the kernel; it is executed.
        kernel_name: The name of the kernel in the file.
        signature: Types and constants, as "*fp32:16, i32:1, 1024".
        grid: Three C expressions of the arguments, separated by commas.
        target: "cuda:90:32" or "hip:gfx942:64"; None for the current GPU.
        num_warps: Warps of a block.
        num_stages: Stages of pipelined loops.
        out_name: The name of the C function without digest; the kernel's by default.
        out_path: The path of the files without suffixes; `out_name` by default.
    """

    path: str = ""
    kernel_name: str = ""
    signature: str = ""
    grid: str = ""
    target: str | None = None
    num_warps: int = 1
    num_stages: int = 3
    out_name: str | None = None
    out_path: Path | None = None


def compile_kernel(args: CompileArgs) -> tuple[str, list[Path]]:
    """Compile a kernel to C files.

    Returns:
        The name of the C function, and the files.

    Raises:
        LaunchError: A grid that is not three expressions, a target that is no GPU, an argument
            that C code cannot pass, or a kernel that needs scratch memory.
        WeftError: The kernel cannot be compiled.
    """
    grid = [each.strip() for each in args.grid.split(",")]
    if len(grid) != 3:
        raise LaunchError("the grid must be three expressions", found=args.grid)
    chip = _chip(args.target)
    kernel = _load_kernel(args.path, args.kernel_name)
    entries = [each.strip() for each in args.signature.split(",")]
    options = {"num_warps": args.num_warps, "num_stages": args.num_stages}
    options_text = f"warps{args.num_warps}xstages{args.num_stages}"
    signature = Signature.of(kernel, args.signature)
    compiled: Any = compile_source(ASTSource(kernel, signature), target=chip, options=options)
    if compiled.metadata.global_scratch_size:
        raise LaunchError("a kernel that needs global scratch memory cannot become a C file")

    hints = {i: entry.partition(":")[2].strip() for i, entry in enumerate(entries)}
    digest = hashlib.sha256(" ".join([*entries, options_text]).encode()).hexdigest()[:8]
    suffix = "".join(f"{i}{_LETTERS[hint]}" for i, hint in hints.items() if hint in _LETTERS)
    constants = _constants(signature, hints)
    launcher = CLauncher(
        name="_".join([args.out_name or args.kernel_name, digest, suffix]),
        backend=chip.backend,
        symbol=compiled.name,
        binary=compiled.asm[_BINARIES[chip.backend]],
        arguments=_arguments(signature, chip),
        unit_arguments=tuple(kernel.parameter_names[i] for i, hint in hints.items() if hint == "1"),
        order=kernel.parameter_names,
        constants=constants | options,
        algorithm=re.sub(r"\W", "_", "x".join(map(str, constants.values()))) + f"_{options_text}",
        grid=(grid[0], grid[1], grid[2]),
        threads=args.num_warps * chip.threads_per_warp,
        shared_bytes=compiled.metadata.shared,
    )
    base = args.out_path or Path(args.out_name or args.kernel_name)
    files = [base.with_suffix(f".{digest}_{suffix}{each}") for each in (".h", ".c")]
    for file, text in zip(files, (launcher.header(), launcher.source()), strict=True):
        file.write_text(text)
    return launcher.name, files


def _chip(name: str | None) -> Target:
    """Find the target of "cuda:90:32", or that of the current GPU."""
    chip = _current_chip() if name is None else find_target(":".join(name.split(":")[:2]))
    if chip.backend not in _BINARIES:
        raise LaunchError(
            "C files are for GPUs",
            found=str(chip),
            hint="name a GPU, such as --target cuda:90:32",
        )
    return chip


def _current_chip() -> Target:
    """Find the target of torch's GPU; without torch, that of the driver's first GPU."""
    chip = current_target()
    if chip.backend in _BINARIES:
        return chip
    try:
        return gpu_target(0)
    except LaunchError:  # no driver
        return chip


def _load_kernel(path: str, name: str) -> KernelFunction:
    """Execute a file and get a kernel of it; the file may import modules beside it."""
    file = Path(path)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise LaunchError("not a Python file", found=path)
    sys.path.insert(0, str(file.parent))
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module, name):
        raise LaunchError(f"{path} has no {name}", found=name)
    return kernel_of(getattr(module, name))


def _constants(signature: Signature, hints: Mapping[int, str]) -> dict[str, object]:
    """List the constants by name: those with a value, then the arguments that are 1."""
    values = sorted(signature.argument_constants.items(), key=lambda item: hints[item[0]] == "1")
    return {signature.names[index]: value for index, value in values}


def _arguments(signature: Signature, chip: Target) -> dict[str, str]:
    """Map each argument that the kernel gets to its type in C.

    Raises:
        LaunchError: A tuple or a tensor descriptor.
    """
    arguments: dict[str, str] = {}
    for path, type_name in signature.runtime_arguments():
        name = signature.names[path[0]]
        c_type = CLauncher.pointer_type(chip.backend) if type_name.startswith("*") else ""
        c_type = c_type or SCALAR_TYPES.get(type_name, "")
        if len(path) > 1 or not c_type:
            raise LaunchError(
                f"C code cannot pass argument {name}",
                found=type_name,
                accepted=["a pointer", *SCALAR_TYPES],
            )
        arguments[name] = c_type
    return arguments


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile what the command line names."""
    parser = ArgumentParser(description=desc)
    parser.add_argument("path", help="the Python file of the kernel; it is executed")
    parser.add_argument("--kernel-name", "-n", required=True, help="the kernel in the file")
    parser.add_argument("--target", "-t", help="such as cuda:90:32; the current GPU by default")
    parser.add_argument("--num-warps", "-w", type=int, default=1, help="warps of a block")
    parser.add_argument("--num-stages", "-ns", type=int, default=3, help="stages of loops")
    parser.add_argument("--out-name", "-on", help="the C function, without digest")
    parser.add_argument("--out-path", "-o", type=Path, help="the files, without suffixes")
    parser.add_argument("--signature", "-s", required=True, help="such as '*fp32:16, i32, 1024'")
    parser.add_argument("--grid", "-g", required=True, help="three C expressions of the arguments")
    compile_kernel(CompileArgs(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    main()
