"""Lower a TTGIR module to an LLVM module.

tt.func public @add(%x: !tt.ptr<f32>, %n: i32)  →  define ptx_kernel void @add(
                                                      ptr addrspace(1) %arg0, i32 %arg1) … {
                                                    entry:   the thread's coordinates
                                                    body:    the operations
                                                  }
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from weft.analysis.axis_info import axis_info
from weft.codegen.hardware import Hardware, hardware_of
from weft.codegen.llvm.module import Launch, LlvmModule
from weft.codegen.lowering.call import callees_first
from weft.codegen.lowering.common.located_errors import located_errors
from weft.codegen.lowering.function import FunctionLowering
from weft.errors import CodegenError
from weft.ir import locations, tt
from weft.ir.builtin import IntegerAttr, ModuleOp, StringAttr
from weft.targets import target

if TYPE_CHECKING:
    from weft.analysis.integer_ranges import IntegerRanges

__all__ = ["lower"]

SHARED_MEMORY = "@shared = external addrspace(3) global [0 x i8], align 1024"


def lower(
    module: ModuleOp,
    *,
    fp_fusion: bool = True,
    maxnreg: int | None = None,
    waves_per_eu: int = 0,
    schedule_strategy: str = "",
    flush_denorm: bool = False,
    reflect_ftz: bool = True,
    libraries: Mapping[str, str] | None = None,
) -> LlvmModule:
    """Lower a TTGIR module with one kernel to LLVM IR.

    Args:
        module: The module.
        fp_fusion: Whether multiplications and additions may be fused.
        maxnreg: Upper bound of registers per thread (NVIDIA).
        waves_per_eu: Occupancy to aim at, 0 for none (AMD).
        schedule_strategy: LLVM's strategy for scheduling instructions, "" for its default (AMD).
        flush_denorm: Whether f32 arithmetic may flush denormal numbers to zero (AMD).
        reflect_ftz: Whether f32 functions flush denormal numbers to zero (NVIDIA).
        libraries: Bitcode files by name, which define functions that the kernel calls.

    Raises:
        CodegenError: The module has no target or no kernel, or an operation cannot be lowered.
    """
    with located_errors(module):
        chip = target(_text(module, "ttg.target"))
        launch = Launch(
            _count(module, "ttg.num-warps"),
            _count(module, "ttg.num-ctas"),
            maxnreg,
            waves_per_eu,
            schedule_strategy,
            flush_denorm,
        )
        hardware = hardware_of(chip) if reflect_ftz else hardware_of(chip).keeping_denormals()
        fusion = " contract" if fp_fusion else ""
        return _lower(module, hardware, launch, fusion, libraries or {})


def _lower(
    module: ModuleOp,
    hardware: Hardware,
    launch: Launch,
    fusion: str,
    libraries: Mapping[str, str],
) -> LlvmModule:
    if launch.num_ctas > 1:
        hardware = _of_cluster(hardware, launch.num_ctas)
    kernels = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
    public = [op for op in kernels if op.is_public]
    if len(public) != 1:
        raise CodegenError(
            "a module must have one public function", found=[op.symbol for op in public]
        )

    info, ranges = axis_info(module), cache(lambda: _ranges_of(module))
    functions = FunctionLowering(hardware, launch, info, ranges, fusion, libraries)
    ctx = None
    for function in callees_first(module, public[0]):
        with located_errors(function):
            ctx = functions.add(function, is_kernel=function is public[0])
    assert ctx is not None
    own, header = ctx.global_scratch, _header(functions, ctx.allocation.size)
    footer = [*functions.declarations, hardware.module_format.module_footer()]
    first = sum(text.count("\n") + 1 for text in header)
    return LlvmModule(
        "\n".join([*header, *functions.texts, *footer]),
        public[0].symbol,
        hardware.target,
        functions.launch,
        ctx.allocation.size,
        own.size * launch.num_ctas,
        own.alignment,
        tuple((path, tuple(symbols)) for path, symbols in functions.libraries.items()),
        tuple((first + n, location) for n, location in functions.positions),
    )


def _header(functions: FunctionLowering, shared_bytes: int) -> list[str]:
    """List the parts of the text that come before the functions."""
    format_ = functions.hardware.module_format
    return [
        f'target triple = "{format_.triple}"',
        *([SHARED_MEMORY] if shared_bytes and format_.shared_memory == "@shared" else []),
        *functions.globals,
        *(format_.library_header() if functions.libraries else []),
    ]


def _of_cluster(hardware: Hardware, blocks: int) -> Hardware:
    """Get the chip as seen by a kernel whose programs are clusters.

    Raises:
        CodegenError: The chip has no clusters of so many CTAs.
    """
    most = hardware.target.max_num_ctas
    if blocks > most:
        raise CodegenError(
            f"{hardware.target} has no clusters of {blocks} blocks",
            found=f"num_ctas={blocks}",
            accepted=[f"num_ctas={1 << n}" for n in range(most.bit_length())],
        )
    return hardware.for_cluster(blocks)


def _ranges_of(module: ModuleOp) -> IntegerRanges:
    from weft.analysis.integer_ranges import IntegerRanges  # few kernels need it

    return IntegerRanges(module)


def _attribute(module: ModuleOp, name: str) -> object:
    attribute = module.attributes.get(name)
    if attribute is None:
        raise CodegenError(
            f"the module has no {name}",
            location=locations.position(module.location),
            hint="it is TTIR: run the passes to TTGIR first",
        )
    return attribute


def _text(module: ModuleOp, name: str) -> str:
    attribute = _attribute(module, name)
    if not isinstance(attribute, StringAttr):
        raise CodegenError(
            f"{name} must be a string",
            location=locations.position(module.location),
            found=str(attribute),
        )
    return attribute.data


def _count(module: ModuleOp, name: str) -> int:
    attribute = _attribute(module, name)
    count = attribute.value.data if isinstance(attribute, IntegerAttr) else 0
    if count <= 0 or count & (count - 1):
        raise CodegenError(
            f"{name} must be a power of two",
            location=locations.position(module.location),
            found=str(attribute),
        )
    return count
