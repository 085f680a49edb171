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
from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from weft import knobs
from weft.compiler.artifact import Artifact, KernelInfo
from weft.compiler.ast_to_ttir import ast_to_ttir, specialized_name
from weft.compiler.cache import DiskCache, toolchain_version
from weft.compiler.compile_listener import CompileTimer, call_listener
from weft.compiler.entry import check_threads, kernel_info
from weft.compiler.fingerprint import fingerprint
from weft.compiler.inspected_stages import (
    compile_inspected_stages,
    inspection_hook,
    inspection_key,
)
from weft.compiler.ir_locations import use_ir_locations
from weft.compiler.ir_override import overriding_files, overriding_module
from weft.compiler.kernel_files import dump_stages, override_files
from weft.compiler.machine_code import (
    extern_libraries,
    launch_code,
    lower_ttgir,
    start_llvm,
)
from weft.compiler.metadata import KernelMetadata
from weft.compiler.options import CompileOptions
from weft.compiler.signature import Signature
from weft.compiler.stage_reproducers import write_lowering_reproducer, write_stage_reproducer
from weft.compiler.stage_text import print_stage, stage_form
from weft.language.constexpr import ConstexprFunction
from weft.language.kernel_function import KernelFunction
from weft.targets import Target

if TYPE_CHECKING:
    from weft.ir.builtin import ModuleOp

__all__ = [
    "COMPILE_LOCK",
    "build",
    "cache_key",
    "compile_ttgir",
]

# Environment variables that change the code. They are read here, and not from weft.codegen, so
# that a kernel from the cache does not load the code generator.
_DEVICE_LIBRARIES = "WEFT_DEVICE_LIBRARIES"
_PTXAS = ("WEFT_PTXAS", "TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH")
# Variables that make a compilation print: another value prints also for a kernel in the cache.
_REPORTS = (
    "AMDGCN_ENABLE_DUMP",
    "LLVM_IR_ENABLE_DUMP",
    "MLIR_ENABLE_DIAGNOSTICS",
    "MLIR_ENABLE_DUMP",
    "NVPTX_ENABLE_DUMP",
    "WEFT_ENABLE_DIAGNOSTICS",
)
# Passes share caches. One lock costs nothing, since Python runs one thread at a time.
COMPILE_LOCK = threading.RLock()


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
    timer = CompileTimer()
    key = cache_key(kernel, signature, options, chip)
    with COMPILE_LOCK:
        cache = DiskCache.open()
        files = override_files(kernel, signature)
        entry = None if knobs.compilation.always_compile or files else cache.get(key)
        if entry is not None:
            artifact = Artifact.from_cache(key, entry)
            timer.finish_front_end()
        else:
            compile_ = _compile if inspection_hook() is None else compile_inspected_stages
            with overriding_files(files):
                info, blobs = compile_(kernel, signature, options, chip, timer, lambda: key)
            artifact = Artifact(key, info, blobs)
            if not files:
                cache.put(key, artifact.cache_metadata(), blobs)
                timer.finish_storing()
        dump_stages(kernel, signature, artifact.blobs)
    info = artifact.info
    metadata = KernelMetadata.of(
        info.name, chip, info.options, info.signature, key, info.shared_bytes
    )
    call_listener(kernel, signature, chip, metadata, timer, cache_hit=entry is not None)
    return artifact


def cache_key(
    kernel: KernelFunction, signature: Signature, options: CompileOptions, chip: Target
) -> str:
    """Compute the digest of everything that a kernel's code depends on.

    It is the same in every process. A constant that is a kernel function or a constexpr function
    counts with its source, any other callable with its name.
    """
    constants = [(path, _constant_key(value)) for path, value in signature.constants]
    parts = (
        toolchain_version(),
        fingerprint(kernel, positions=True),
        kernel.file,
        specialized_name(kernel, signature) or kernel.name,
        repr((signature.names, signature.types, constants, signature.attributes)),
        str(chip),
        repr(options),
        *(os.environ.get(name, "") for name in _PTXAS),
        str(knobs.language.fp32_default),
        str(knobs.compilation.disable_line_info),
        knobs.compilation.use_ir_loc or "",
        stage_form(),
        os.environ.get(_DEVICE_LIBRARIES, ""),
        *(os.environ.get(name, "") for name in _REPORTS),
        *map(_file_key, extern_libraries(options).values()),
        _file_key(options.ir_override or ""),
        inspection_key(),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _file_key(path: str) -> str:
    """Compute the digest of a file; "" if there is none, which the compilation reports."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""
    except OSError:
        return ""


def _constant_key(value: object) -> str:
    if isinstance(value, tuple):
        return f"{type(value).__name__}({', '.join(map(_constant_key, value))})"
    if isinstance(value, KernelFunction | ConstexprFunction):
        return fingerprint(value, positions=True)
    if callable(value):
        return f"{type(value).__name__} {getattr(value, '__qualname__', value)}"
    return f"{type(value).__name__} {value!r}"


def _compile(
    kernel: KernelFunction,
    signature: Signature,
    options: CompileOptions,
    chip: Target,
    timer: CompileTimer,
    key: Callable[[], str],
) -> tuple[KernelInfo, Mapping[str, bytes]]:
    # xDSL and the passes: a kernel from the cache does not load them.
    from weft.passes import run_pipeline
    from weft.pipelines import stages

    start_llvm(chip.llvm_cpu if chip.backend == "cuda" else "")
    texts: dict[str, str] = {}
    module = ast_to_ttir(kernel, signature, chip, options)
    timer.finish_front_end()
    pipeline = stages(chip, options, is_gluon=kernel.is_gluon)
    for ir_kind, group in groupby(pipeline, key=lambda stage: stage.ir):
        passes = tuple(each for stage in group for each in stage.passes)
        write_stage_reproducer(ir_kind, module, passes)
        run_pipeline(passes, module)
        module = overriding_module(options, ir_kind) or module
        use_ir_locations(module, ir_kind, kernel.name, key)
        texts[ir_kind] = print_stage(module)
        timer.finish_stage(ir_kind)
    write_lowering_reproducer(module, chip)
    check_threads(options.num_warps * chip.threads_per_warp, chip)
    info, machine_code = compile_ttgir(module, signature, options, timer)
    return info, {name: text.encode() for name, text in texts.items()} | machine_code


def compile_ttgir(
    module: ModuleOp,
    signature: Signature,
    options: CompileOptions,
    timer: CompileTimer | None = None,
) -> tuple[KernelInfo, dict[str, bytes]]:
    """Compile TTGIR to machine code, and measure the stages.

    Returns:
        How the kernel is launched, and its "llir" and the stages of `launch_code`.

    Raises:
        CodegenError: The module cannot be lowered, or LLVM or ptxas rejects it.
    """
    llvm = lower_ttgir(module, options)
    info = kernel_info(module, llvm, signature, options)
    timer = timer or CompileTimer()
    timer.finish_stage("llir")
    code = launch_code(llvm)
    timer.finish_stage(next(reversed(code)))
    return info, {"llir": llvm.text.encode()} | code
