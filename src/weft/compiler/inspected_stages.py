"""Compile a kernel by functions that `knobs.runtime.add_stages_inspection_hook` may replace.

    def hook(backend=None, stages=None, options=None, language=None, capability=None):
        if backend is None:
            return "notes of the IR", "1"          # a key and a digest, for the caches
        make_ttgir = stages["ttgir"]

        def with_note(src, metadata):
            module = make_ttgir(src, metadata)
            print(module)
            return module

        stages["ttgir"] = with_note

As in Triton 3.7.1, a stage is a function of what the stage before it returned and of the kernel's
metadata, and the stages run in the order of the dict. "ttir" and "ttgir" return modules, "llir",
"ptx" and "amdgcn" text, "cubin" and "hsaco" bytes. There is no "cubin" without a ptxas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from weft import knobs
from weft.compiler.artifact import KernelInfo
from weft.compiler.ast_to_ttir import ast_to_ttir
from weft.compiler.compile_listener import CompileTimer
from weft.compiler.gpu_target import GPUTarget
from weft.compiler.ir_locations import use_ir_locations
from weft.compiler.ir_override import overriding_module
from weft.compiler.kernel_backend import KernelBackend
from weft.compiler.machine_code import BINARY_STAGES, start_llvm
from weft.compiler.options import CompileOptions
from weft.compiler.signature import Signature
from weft.compiler.source_language import Language
from weft.compiler.stage_text import print_stage
from weft.errors import OptionError
from weft.language.kernel_function import KernelFunction
from weft.targets import Target

if TYPE_CHECKING:
    from weft.ir.builtin import ModuleOp

__all__ = [
    "compile_inspected_stages",
    "compile_inspected_ttir",
    "inspection_hook",
    "inspection_key",
]


def inspection_hook() -> Callable[..., object] | None:
    """Get the hook; None without one."""
    return knobs.runtime.add_stages_inspection_hook


def inspection_key() -> str:
    """Get the key and the digest that the hook returns without arguments; "" without a hook.

    Raises:
        OptionError: It does not return two texts.
    """
    hook = inspection_hook()
    if hook is None:
        return ""
    match hook():
        case (str() as key, str() as digest):
            return f"{digest}\0{key}"
        case other:
            raise OptionError(
                "add_stages_inspection_hook must return a key and a digest without arguments",
                found=repr(other),
                accepted=["two texts"],
            )


def compile_inspected_stages(
    kernel: KernelFunction,
    signature: Signature,
    options: CompileOptions,
    chip: Target,
    timer: CompileTimer,
    key: Callable[[], str],
) -> tuple[KernelInfo, dict[str, bytes]]:
    """Compile a kernel for a GPU by the stages that the hook left.

    Args:
        kernel: The kernel.
        signature: Its signature.
        options: Compile options.
        chip: The target.
        timer: Measures the stages.
        key: Computes the kernel's key in the cache.

    Returns:
        How the kernel is launched, and the output of each stage.

    Raises:
        OptionError: A stage returns what it must not, or no stage lowers to LLVM IR.
        WeftError: An error of a stage; see `weft.compiler.build.build`.
    """
    start_llvm(chip.llvm_cpu if chip.backend == "cuda" else "")
    backend = KernelBackend(chip, signature, kernel.is_gluon)
    outputs, _ = _run(backend, kernel, signature, options, timer, key)
    if backend.info is None:
        raise OptionError(
            "the stages of add_stages_inspection_hook do not lower the kernel",
            found=", ".join(outputs),
            hint="a function in place of stages['llir'] calls backend.make_llir",
        )
    return backend.info, outputs


def compile_inspected_ttir(
    kernel: KernelFunction,
    signature: Signature,
    options: CompileOptions,
    chip: Target,
    timer: CompileTimer,
    key: Callable[[], str],
) -> ModuleOp:
    """Compile a kernel for the CPU device, whose only stage is "ttir", as the hook left it.

    Raises:
        OptionError: The stage returns no module.
        WeftError: An error of a stage.
    """
    backend = KernelBackend(chip, signature, kernel.is_gluon)
    _, module = _run(backend, kernel, signature, options, timer, key)
    return KernelBackend.module_of(module, "the last stage")


def _run(
    backend: KernelBackend,
    kernel: KernelFunction,
    signature: Signature,
    options: CompileOptions,
    timer: CompileTimer,
    key: Callable[[], str],
) -> tuple[dict[str, bytes], object]:
    """Run the stages; return their outputs in bytes, and what the last one returned."""
    from weft.ir.operation_views import ModuleView  # loads xDSL, which a cached kernel does not

    chip = backend.chip
    value: object = ModuleView(ast_to_ttir(kernel, signature, chip, options))
    timer.finish_front_end()
    stages = backend.stages(options)
    language = Language.GLUON if kernel.is_gluon else Language.TRITON
    capability = int(chip.arch) if chip.backend == "cuda" else None
    cast("Callable[..., object]", inspection_hook())(backend, stages, options, language, capability)
    metadata: dict[str, Any] = {
        **options.as_dict(),
        "target": GPUTarget(chip.backend, chip.arch, chip.threads_per_warp),
        "warp_size": chip.threads_per_warp,
    }
    outputs: dict[str, bytes] = {}
    for name, stage in stages.items():
        value = stage(value, metadata)
        if isinstance(value, ModuleView):
            other = overriding_module(options, name)
            value = value if other is None else ModuleView(other)
            use_ir_locations(value.module, name, kernel.name, key)
        outputs[name] = _encoded(name, value)
        timer.finish_stage(name)
    return outputs, value


def _encoded(stage: str, output: object) -> bytes:
    """Encode what a stage returned.

    Raises:
        OptionError: It has another type than the stage's.
    """
    from weft.ir.operation_views import ModuleView

    if stage in BINARY_STAGES:
        if isinstance(output, bytes):
            return output
    elif isinstance(output, ModuleView):
        return print_stage(output.module).encode()
    elif isinstance(output, str):
        return output.encode()
    raise OptionError(
        f"the function of stage {stage} must return its output",
        found=type(output).__name__,
        accepted=["bytes"] if stage in BINARY_STAGES else ["a module", "str"],
    )
