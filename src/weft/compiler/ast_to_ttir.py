"""Call the front end with the facts of a target and the compile options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from weft import knobs
from weft.compiler.options import CompileOptions
from weft.compiler.signature import Signature
from weft.compiler.signature_types import Path
from weft.language.kernel_function import KernelFunction
from weft.targets import Target

if TYPE_CHECKING:
    from weft.frontend import FrontendOptions
    from weft.ir.builtin import ModuleOp, Operation

__all__ = ["ast_to_ttir", "frontend_options", "kernel_symbol", "specialized_name"]


class Specialization(Struct, frozen=True):
    """The argument of a kernel's `repr` function, which names its specializations.

    Attributes:
        fn: The kernel.
        signature: Type of each parameter, by name.
        constants: Value of each constexpr parameter, by name.
    """

    fn: KernelFunction
    signature: Mapping[str, object]
    constants: Mapping[str, object]


def ast_to_ttir(
    kernel: KernelFunction, signature: Signature, chip: Target, options: CompileOptions
) -> ModuleOp:
    """Lower a kernel's Python source to TTIR, ahead of all passes.

    Raises:
        CompilationError: A mistake in the kernel, with its source location.
        SignatureError: The signature does not fit the kernel.
        VerifyError: A layout of a Gluon kernel does not fit its tensor, or the number of warps.
    """
    from weft.frontend import lower  # loads xDSL, which a cached kernel does not need

    constants: dict[Path | str, object] = {path: value for path, value in signature.constants}
    module = lower(
        kernel, signature.signature, constants, signature.attrs, frontend_options(chip, options)
    )
    # The author wrote the layouts. The CPU device has no warps that they could not fit.
    if kernel.is_gluon and chip.backend != "cpu":
        from weft.ir.verifier import verify

        verify(module)
    name = specialized_name(kernel, signature)
    if name is not None:
        _rename_kernel(module, name)
    return module


def specialized_name(kernel: KernelFunction, signature: Signature) -> str | None:
    """Call the kernel's `repr` function on a specialization; None if it has none."""
    if kernel.naming is None:
        return None
    constants = {
        signature.names[path[0]]: value for path, value in signature.constants if len(path) == 1
    }
    return kernel.naming(Specialization(kernel, signature.signature, constants))


def frontend_options(chip: Target, options: CompileOptions) -> FrontendOptions:
    """Collect what the front end reads of a target and of the compile options."""
    from weft.frontend import FrontendOptions

    m, n, k = chip.min_dot_size
    return FrontendOptions(
        backend=chip.backend,
        arch=chip.arch,
        warp_size=chip.threads_per_warp,
        num_warps=options.num_warps,
        num_stages=options.num_stages,
        num_ctas=options.num_ctas,
        default_dot_input_precision=knobs.language.fp32_default or chip.default_dot_input_precision,
        allowed_dot_input_precisions=chip.allowed_dot_input_precisions,
        supported_fp8_dtypes=chip.supported_fp8_dtypes,
        deprecated_fp8_dot_operand_dtypes=chip.deprecated_fp8_dot_operand_dtypes,
        max_num_imprecise_acc_default=chip.max_num_imprecise_acc_default,
        min_dot_size=(m, n, k),
        min_dot_k_8bit=chip.min_dot_k_8bit,
        enable_fp_fusion=options.enable_fp_fusion,
        debug=options.debug,
        sanitize_overflow=options.debug and options.sanitize_overflow,
        compute_capability=chip.arch if isinstance(chip.arch, int) else None,
        generation=chip.generation or None,
        maxnreg=options.maxnreg,
        realtime_clock=chip.realtime_clock or None,
    )


def _rename_kernel(module: ModuleOp, name: str) -> None:
    from weft.ir import attributes

    op = _kernel_function(module)
    if op is not None:
        op.properties["sym_name"] = attributes.string(name)


def kernel_symbol(module: ModuleOp) -> str:
    """Find the symbol of a module's first public function; "" if there is none."""
    op = _kernel_function(module)
    return str(getattr(op.properties["sym_name"], "data", "")) if op is not None else ""


def _kernel_function(module: ModuleOp) -> Operation | None:
    for op in module.body.block.ops:
        visibility = op.properties.get("sym_visibility")
        if op.name == "tt.func" and getattr(visibility, "data", "public") == "public":
            return op
    return None
