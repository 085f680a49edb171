"""A kernel for one chip: taken from the disk where it is there, else compiled and put there.

    build(add, signature, options, chip)         # ttir, ttgir, llir, ptx and, with ptxas, a cubin

The key is a digest of all that the code depends on: the sources of the kernel and of what it calls,
the globals they read, where the kernel stands (its messages say so), the signature, the options,
the chip, and the releases of weft and LLVM.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from weft.compiler.argument_formats import formats_of
from weft.compiler.artifact import Artifact, Facts, TensorMapFacts
from weft.compiler.ast_to_ttir import chosen_name, lower_kernel
from weft.compiler.cache import Store, versions
from weft.compiler.fingerprint import fingerprint
from weft.compiler.machine_code import image_of, lowered, prepare
from weft.compiler.options import CompileOptions
from weft.compiler.signature import Signature
from weft.language.kernel_function import KernelFunction

if TYPE_CHECKING:
    from weft.ir import tt
    from weft.ir.builtin import ModuleOp
    from weft.targets import Target

__all__ = ["artifact_key", "assembled", "build", "entry_of"]

_LIBRARIES = "WEFT_DEVICE_LIBRARIES"  # weft.codegen.llvm.libraries, likewise
_PTXAS = "WEFT_PTXAS"  # weft.codegen.backend.ptxas, which a kernel from the disk does not load
_COMPILING = threading.RLock()  # passes share tables; Python runs one thread at a time anyway


def build(
    kernel: KernelFunction, signature: Signature, options: CompileOptions, chip: Target
) -> Artifact:
    """Return a kernel compiled for a chip.

    Raises: CompilationError, PassError, CodegenError; OutOfResourcesError: the chip is too small.
    """
    key = artifact_key(kernel, signature, options, chip)
    with _COMPILING:
        store = Store.open()
        entry = store.get(key)
        if entry is not None:
            return Artifact.read(key, entry)
        facts, blobs = _compiled(kernel, signature, options, chip)
        artifact = Artifact(key, facts, blobs)
        store.put(key, artifact.plain(), blobs)
        return artifact


def artifact_key(
    kernel: KernelFunction, signature: Signature, options: CompileOptions, chip: Target
) -> str:
    """Return the digest of all that the code of a kernel depends on.

    It is the same in another process. A constant that is a kernel counts with its source; any other
    object that has no value of its own, by its name.
    """
    constants = [(path, _constant(value)) for path, value in signature.constants]
    parts = (
        versions(),
        fingerprint(kernel),
        f"{kernel.file}:{kernel.first_line}",
        chosen_name(kernel, signature) or kernel.name,
        repr((signature.names, signature.types, constants, signature.attributes)),
        str(chip),
        repr(options),
        os.environ.get(_PTXAS, ""),
        os.environ.get(_LIBRARIES, ""),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _constant(value: object) -> str:
    if isinstance(value, tuple):
        return f"{type(value).__name__}({', '.join(map(_constant, value))})"
    if isinstance(value, KernelFunction):
        return fingerprint(value)
    if callable(value):
        return f"{type(value).__name__} {getattr(value, '__qualname__', value)}"
    return f"{type(value).__name__} {value!r}"


def _compiled(
    kernel: KernelFunction, signature: Signature, options: CompileOptions, chip: Target
) -> tuple[Facts, Mapping[str, bytes]]:
    from weft.ir.text import print_module
    from weft.passes import run_pipeline
    from weft.pipelines import stages

    prepare(chip.llvm_cpu)
    texts: dict[str, str] = {}
    kind = ""
    module = lower_kernel(kernel, signature, chip, options)
    for stage in stages(chip, options):
        if kind and stage.ir != kind:
            texts[kind] = print_module(module)
        run_pipeline(stage.passes, module)
        kind = stage.ir
    texts[kind] = print_module(module)
    facts, machine_code = assembled(module, signature, options)
    return facts, {name: text.encode() for name, text in texts.items()} | machine_code


def assembled(
    module: ModuleOp, signature: Signature, options: CompileOptions
) -> tuple[Facts, dict[str, bytes]]:
    """Compile TTGIR the rest of the way; return how it is launched, and "llir", "ptx", "cubin".

    Raises: CodegenError: it cannot be.
    """
    llvm = lowered(module, options)
    ptx, image = image_of(llvm)
    own = ("P",) if llvm.global_scratch_bytes else ()
    facts = Facts(
        llvm.kernel,
        str(llvm.target),
        str(signature),
        formats_of(signature, _entry_types(module)) + own,
        llvm.launch.num_warps * llvm.target.threads_per_warp,
        llvm.shared_bytes,
        options,
        _tensor_maps(module),
        llvm.global_scratch_bytes,
    )
    blobs = {"llir": llvm.text.encode(), "ptx": ptx}
    return facts, blobs | ({} if image is ptx else {"cubin": image})


def _entry_types(module: ModuleOp) -> list[str]:
    """Return the types of the entry's arguments in LLVM IR."""
    from weft.codegen.llvm.types import llvm_type

    return [llvm_type(kind) for kind in entry_of(module).function_type.inputs.data]


def _tensor_maps(module: ModuleOp) -> tuple[TensorMapFacts, ...]:
    """Return what the host must say of each descriptor among the entry's arguments."""
    from weft.codegen.lowering.nvidia.tma_host_descriptors import host_descriptors

    found = host_descriptors(entry_of(module))
    return tuple((found[n].box, found[n].row_bytes, found[n].element) for n in sorted(found))


def entry_of(module: ModuleOp) -> tt.FuncOp:
    """Return the public function of a module of one kernel."""
    from weft.ir import tt

    (entry,) = (op for op in module.body.block.ops if isinstance(op, tt.FuncOp) and op.is_public)
    return entry
