"""Assemble AMDGCN with an LLVM that has AMD's assembly parser, for kernels with inline assembly.

    is_needed(module)                            # whether the LLVM IR has inline assembly
    assemble(module, assembly)                   # an object, as `Machine.emit(module, "object")`

llvmlite's LLVM prints AMDGCN assembly and writes objects, but has no parser of AMDGCN assembly,
which an object with inline assembly needs. Other programs are searched for one:

    ROCM_PATH, HIP_PATH, /opt/rocm*      …/llvm/bin/clang
    rocm-sdk-core (PyPI)                 …/_rocm_sdk_core/lib/llvm/bin/clang
    PATH                                 clang, llvm-mc
    triton (PyPI)                        triton._C.libtriton.amd.assemble_amdgcn

An older release may not know the chip or a directive of newer assembly. The first program that
accepts the assembly is used.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from weft.codegen.installed_packages import package_folders
from weft.errors import CodegenError

if TYPE_CHECKING:
    from weft.codegen.llvm.module import LlvmModule

__all__ = ["assemble", "is_needed"]

# Assembly without text needs no parser.
_INLINE_ASSEMBLY = re.compile(r'\basm (?:sideeffect |alignstack |inteldialect )*"[^"]')
_TRIPLE = "amdgcn-amd-amdhsa"
_ELF = b"\x7fELF"
_UNKNOWN_CHIP = b"is not a recognized processor"
_MAX_MESSAGE = 2000  # characters of a program's output that an error quotes
# Runs in a separate process: in this one weft may have replaced the module `triton`.
_TRITON = """
import sys
sys.path.insert(0, sys.argv[2])
from triton._C.libtriton import amd, llvm
llvm.init_targets()
sys.stdout.buffer.write(amd.assemble_amdgcn(sys.stdin.read(), sys.argv[1], ""))
"""


def is_needed(module: LlvmModule) -> bool:
    """Check whether a module has inline assembly."""
    return _INLINE_ASSEMBLY.search(module.text) is not None


def assemble(module: LlvmModule, assembly: bytes) -> bytes:
    """Assemble a kernel to a relocatable object.

    Raises: CodegenError: no program that knows the chip is installed, or all refuse the assembly;
        the error quotes the last one.
    """
    refusals: list[str] = []
    for program, command in _commands(module.target.llvm_cpu):
        try:
            result = _run(command, assembly)
        except OSError as error:
            refusals.append(f"{program}: {error.strerror}")
            continue
        message = result.stderr.decode(errors="replace").strip()
        if _is_object(result):
            return result.stdout
        # A program that does not know the chip says nothing about the assembly.
        if message and _knows_chip(command):
            refusals.append(f"{program}: {message[:_MAX_MESSAGE]}")
    if refusals:
        raise CodegenError(
            f"the assembler refuses {module.kernel} for {module.target}", found=refusals[-1]
        )
    raise CodegenError(
        f"Cannot find an assembler that supports {module.target.llvm_cpu}",
        found="inline assembly",
        hint="install ROCm or rocm-sdk-core (PyPI), or put a clang that supports the chip in PATH",
    )


def _run(command: Sequence[str], assembly: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, input=assembly, capture_output=True, check=False)


def _is_object(result: subprocess.CompletedProcess[bytes]) -> bool:
    """Check whether a program wrote an object, and that for the chip which it was asked for."""
    # For an unknown chip LLVM's llvm-mc prints a warning and assembles for another one.
    is_other = _UNKNOWN_CHIP in result.stderr
    return result.returncode == 0 and result.stdout.startswith(_ELF) and not is_other


def _knows_chip(command: Sequence[str]) -> bool:
    """Check whether a program assembles for its chip, by an assembly without a line."""
    return _is_object(_run(command, b"\n"))


def _commands(chip: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the name and the command line of each program, in order of preference."""
    for path in dict.fromkeys(map(os.path.realpath, _programs())):
        if "llvm-mc" in os.path.basename(path):
            options = [f"-triple={_TRIPLE}", f"-mcpu={chip}", "-filetype=obj", "-o", "-"]
        else:
            options = ["-x", "assembler", "-target", _TRIPLE, f"-mcpu={chip}", "-c", "-o", "-", "-"]
        yield path, [path, *options]
    for folder in package_folders("triton"):
        if os.path.isdir(f"{folder}/_C"):
            yield "triton", [sys.executable, "-P", "-c", _TRITON, chip, os.path.dirname(folder)]


def _programs() -> Iterator[str]:
    roots = [*filter(None, map(os.environ.get, ("ROCM_PATH", "HIP_PATH"))), "/opt/rocm*"]
    for root in roots:
        yield from sorted(glob.glob(f"{root}/llvm/bin/clang"), reverse=True)
    for folder in package_folders("_rocm_sdk_core"):
        yield from glob.glob(f"{folder}/lib/llvm/bin/clang")
    yield from filter(None, map(shutil.which, ("clang", "llvm-mc")))
