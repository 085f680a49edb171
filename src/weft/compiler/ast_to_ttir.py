"""Call the front end: with the facts of a chip, or of the embedded CPU device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.compiler.options import CompileOptions
from weft.compiler.signature import Signature
from weft.compiler.signature_types import Path
from weft.language.kernel_function import KernelFunction

if TYPE_CHECKING:
    from weft.frontend import FrontendOptions
    from weft.ir.builtin import ModuleOp, Operation
    from weft.targets import Target


@dataclass(frozen=True, slots=True)
class Specialisation:
    """What the `repr` of a kernel names it by.

    Args: fn: the kernel.  signature: parameter → type.  constants: parameter → value.
    """

    fn: KernelFunction
    signature: Mapping[str, object]
    constants: Mapping[str, object]


def lower_kernel(
    kernel: KernelFunction, signature: Signature, chip: Target, options: CompileOptions
) -> ModuleOp:
    """Return the TTIR that the front end makes of `kernel`, not yet through any pass.

    Raises: CompilationError, with the place in the kernel; SignatureError.
    """
    from weft.frontend import lower

    facts = frontend_options(chip, options)
    constants: dict[Path | str, object] = {path: value for path, value in signature.constants}
    module = lower(kernel, signature.signature, constants, signature.attrs, facts)
    name = chosen_name(kernel, signature)
    if name is not None:
        _name_kernel(module, name)
    return module


def chosen_name(kernel: KernelFunction, signature: Signature) -> str | None:
    """Return what the kernel's `repr` calls this specialisation; None where it has no such."""
    if kernel.naming is None:
        return None
    return kernel.naming(Specialisation(kernel, signature.signature, _constants(signature)))


def frontend_options(chip: Target, options: CompileOptions) -> FrontendOptions:
    """Join what the front end must know of a chip with what it must know of the options."""
    from weft.frontend import FrontendOptions

    m, n, k = chip.min_dot_size
    return FrontendOptions(
        backend=chip.backend,
        arch=chip.arch,
        warp_size=chip.threads_per_warp,
        num_warps=options.num_warps,
        num_stages=options.num_stages,
        num_ctas=options.num_ctas,
        default_dot_input_precision=chip.default_dot_input_precision,
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
        realtime_clock=chip.realtime_clock or None,
    )


def _constants(signature: Signature) -> dict[str, object]:
    return {signature.names[path[0]]: value for path, value in signature.constants if not path[1:]}


def _name_kernel(module: ModuleOp, name: str) -> None:
    from weft.ir import attributes

    op = _kernel_op(module)
    if op is not None:
        op.properties["sym_name"] = attributes.string(name)


def function_name(module: ModuleOp) -> str:
    """Return the name of a module's kernel: its first public function; "" without one."""
    op = _kernel_op(module)
    return str(getattr(op.properties["sym_name"], "data", "")) if op is not None else ""


def _kernel_op(module: ModuleOp) -> Operation | None:
    for op in module.body.block.ops:
        visibility = op.properties.get("sym_visibility")
        if op.name == "tt.func" and getattr(visibility, "data", "public") == "public":
            return op
    return None
