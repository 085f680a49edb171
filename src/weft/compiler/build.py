"""Compile a kernel for one GPU target, or load it from the disk cache.

    build(add, signature, options, chip)         # ttir, ttgir, llir, ptx and, with ptxas, a cubin

The cache key is a digest of everything that the code depends on: the sources of the kernel and of
its callees, the globals they read, the file and line of the kernel (error messages contain them),
the signature, the options, the target, and the versions of weft and LLVM.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from weft import knobs
from weft.compiler.argument_formats import entry_formats
from weft.compiler.artifact import Artifact, KernelInfo, TensorMapInfo
from weft.compiler.ast_to_ttir import ast_to_ttir, specialized_name
from weft.compiler.cache import DiskCache, toolchain_version
from weft.compiler.fingerprint import fingerprint
from weft.compiler.machine_code import driver_image, lower_ttgir, start_llvm
from weft.compiler.options import CompileOptions
from weft.compiler.signature import Signature
from weft.language.kernel_function import KernelFunction
from weft.targets import Target

if TYPE_CHECKING:
    from weft.ir import tt
    from weft.ir.builtin import ModuleOp

__all__ = ["build", "cache_key", "compile_ttgir", "entry_function"]

# Environment variables that change the code. They are read here, and not from weft.codegen, so
# that a kernel from the cache does not load the code generator.
_DEVICE_LIBRARIES = "WEFT_DEVICE_LIBRARIES"
_PTXAS = "WEFT_PTXAS"
# Passes share caches. One lock costs nothing, since Python runs one thread at a time.
_COMPILE_LOCK = threading.RLock()


def build(
    kernel: KernelFunction, signature: Signature, options: CompileOptions, chip: Target
) -> Artifact:
    """Compile a kernel for a target, or load it from the disk cache.

    Raises:
        CompilationError: A mistake in the kernel, with its source location.
        PassError: IR that a pass does not support.
        CodegenError: IR that cannot be lowered.
        OutOfResourcesError: The kernel needs more than the target has.
    """
    key = cache_key(kernel, signature, options, chip)
    with _COMPILE_LOCK:
        cache = DiskCache.open()
        entry = cache.get(key)
        if entry is not None:
            return Artifact.from_cache(key, entry)
        info, blobs = _compile(kernel, signature, options, chip)
        artifact = Artifact(key, info, blobs)
        cache.put(key, artifact.cache_metadata(), blobs)
        return artifact


def cache_key(
    kernel: KernelFunction, signature: Signature, options: CompileOptions, chip: Target
) -> str:
    """Compute the digest of everything that a kernel's code depends on.

    It is the same in every process. A constant that is a kernel counts with its source, any other
    callable with its name.
    """
    constants = [(path, _constant_key(value)) for path, value in signature.constants]
    parts = (
        toolchain_version(),
        fingerprint(kernel),
        f"{kernel.file}:{kernel.first_line}",
        specialized_name(kernel, signature) or kernel.name,
        repr((signature.names, signature.types, constants, signature.attributes)),
        str(chip),
        repr(options),
        os.environ.get(_PTXAS, ""),
        str(knobs.compilation.disable_line_info),
        os.environ.get(_DEVICE_LIBRARIES, ""),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _constant_key(value: object) -> str:
    if isinstance(value, tuple):
        return f"{type(value).__name__}({', '.join(map(_constant_key, value))})"
    if isinstance(value, KernelFunction):
        return fingerprint(value)
    if callable(value):
        return f"{type(value).__name__} {getattr(value, '__qualname__', value)}"
    return f"{type(value).__name__} {value!r}"


def _compile(
    kernel: KernelFunction, signature: Signature, options: CompileOptions, chip: Target
) -> tuple[KernelInfo, Mapping[str, bytes]]:
    # xDSL and the passes: a kernel from the cache does not load them.
    from weft.ir.text import print_module
    from weft.passes import run_pipeline
    from weft.pipelines import stages

    start_llvm(chip.llvm_cpu)
    texts: dict[str, str] = {}
    ir_kind = ""
    module = ast_to_ttir(kernel, signature, chip, options)
    for stage in stages(chip, options):
        if ir_kind and stage.ir != ir_kind:
            texts[ir_kind] = print_module(module, names=True)
        run_pipeline(stage.passes, module)
        ir_kind = stage.ir
    texts[ir_kind] = print_module(module, names=True)
    info, machine_code = compile_ttgir(module, signature, options)
    return info, {name: text.encode() for name, text in texts.items()} | machine_code


def compile_ttgir(
    module: ModuleOp, signature: Signature, options: CompileOptions
) -> tuple[KernelInfo, dict[str, bytes]]:
    """Compile TTGIR to machine code.

    Returns:
        How the kernel is launched, and its "llir", "ptx" and, where ptxas is installed, "cubin".

    Raises:
        CodegenError: The module cannot be lowered, or LLVM or ptxas rejects it.
    """
    llvm = lower_ttgir(module, options)
    ptx, image = driver_image(llvm)
    scratch_formats = ("P",) if llvm.global_scratch_bytes else ()
    info = KernelInfo(
        llvm.kernel,
        str(llvm.target),
        str(signature),
        entry_formats(signature, _entry_types(module)) + scratch_formats,
        llvm.launch.num_warps * llvm.target.threads_per_warp,
        llvm.shared_bytes,
        options,
        _tensor_maps(module),
        llvm.global_scratch_bytes,
    )
    blobs = {"llir": llvm.text.encode(), "ptx": ptx}
    return info, blobs | ({} if image is ptx else {"cubin": image})


def _entry_types(module: ModuleOp) -> list[str]:
    """List the LLVM types of the entry's arguments."""
    from weft.codegen.llvm.types import llvm_type

    return [llvm_type(type_) for type_ in entry_function(module).function_type.inputs.data]


def _tensor_maps(module: ModuleOp) -> tuple[TensorMapInfo, ...]:
    """List the tensor maps that the host creates for the entry's arguments."""
    from weft.codegen.lowering.nvidia.tma_host_descriptors import host_descriptors

    descriptors = host_descriptors(entry_function(module))
    return tuple(
        TensorMapInfo(each.box, each.row_bytes, each.element)
        for _, each in sorted(descriptors.items())
    )


def entry_function(module: ModuleOp) -> tt.FuncOp:
    """Get the public function of a module of one kernel."""
    from weft.ir import tt

    (entry,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp) and op.is_public)
    return entry
