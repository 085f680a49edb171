"""From a TTGIR module to the text of an LLVM module.

tt.func public @add(%x: !tt.ptr<f32>, %n: i32)  →  define ptx_kernel void @add(
                                                      ptr addrspace(1) %arg0, i32 %arg1) … {
                                                    entry:   the thread's coordinates
                                                    body:    the operations
                                                  }
"""

from __future__ import annotations

from dataclasses import dataclass

from weft.analysis.allocation import allocate
from weft.analysis.axis_info import ModuleAxisInfo, axis_info
from weft.analysis.hazards import barriers
from weft.codegen.blocks import reverse_post_order
from weft.codegen.buffers import buffer_alignment, buffer_bytes
from weft.codegen.capacity import require_fitting
from weft.codegen.families.control import region_of_blocks
from weft.codegen.global_scratch import ARGUMENT, place_global_scratch
from weft.codegen.hardware import Hardware, Launch, hardware_of
from weft.codegen.indices import Threads
from weft.codegen.llvm_types import parameter_type
from weft.codegen.lowering import Lowering
from weft.codegen.registry import load_families
from weft.codegen.scratch import scratch_bytes
from weft.codegen.tensor_block import allocate_columns, place_tensor_memory, room_for_address
from weft.codegen.writer import Writer
from weft.errors import CodegenError
from weft.ir import tt
from weft.ir.builtin import IntegerAttr, ModuleOp, StringAttr
from weft.targets import Target, target

__all__ = ["LlvmModule", "lower"]

SHARED_MEMORY = "@shared = external addrspace(3) global [0 x i8], align 1024"


@dataclass(frozen=True, slots=True)
class LlvmModule:
    """An LLVM module as text, and what must be known to compile and launch it.

    kernel: the entry's name.  shared_bytes: dynamic shared memory that it needs.
    global_scratch_bytes, global_scratch_alignment: global memory that each program needs for
    itself; where there is any, its start is one more argument, the last.
    """

    text: str
    kernel: str
    target: Target
    launch: Launch
    shared_bytes: int = 0
    global_scratch_bytes: int = 0
    global_scratch_alignment: int = 1


def lower(
    module: ModuleOp,
    *,
    fp_fusion: bool = True,
    maxnreg: int | None = None,
    waves_per_eu: int = 0,
) -> LlvmModule:
    """Return the LLVM IR of a TTGIR module with one kernel.

    Args: fp_fusion: whether a product may be fused with the sum that it goes into.
          maxnreg: bound on a thread's registers (NVIDIA).  waves_per_eu: occupancy to aim at, 0
          for none (AMD).
    Raises: CodegenError: the module says no chip, has no kernel, or an operation that cannot be
            lowered stands in it.
    """
    chip = target(_text(module, "ttg.target"))
    hardware = hardware_of(chip)
    launch = Launch(
        _number(module, "ttg.num-warps"), _number(module, "ttg.num-ctas"), maxnreg, waves_per_eu
    )
    if launch.num_ctas > 1:
        raise CodegenError(
            "clusters of blocks cannot be lowered",
            found=f"num_ctas={launch.num_ctas}",
            accepted=[1],
        )
    kernels = [op for op in module.body.block.ops if isinstance(op, tt.FuncOp)]
    public = [op for op in kernels if op.is_public]
    if len(public) != 1:
        raise CodegenError(
            "a module must have one public function", found=[op.symbol for op in public]
        )
    text, low = _function(public[0], hardware, launch, axis_info(module), fp_fusion)
    own = low.global_scratch
    return LlvmModule(
        text, public[0].symbol, chip, launch, low.allocation.size, own.size, own.alignment
    )


def _attribute(module: ModuleOp, name: str) -> object:
    found = module.attributes.get(name)
    if found is None:
        raise CodegenError(
            f"the module has no {name}", hint="it is TTIR: run the passes to TTGIR first"
        )
    return found


def _text(module: ModuleOp, name: str) -> str:
    found = _attribute(module, name)
    assert isinstance(found, StringAttr)
    return found.data


def _number(module: ModuleOp, name: str) -> int:
    found = _attribute(module, name)
    assert isinstance(found, IntegerAttr)
    return found.value.data


def _function(
    function: tt.FuncOp,
    hardware: Hardware,
    launch: Launch,
    info: ModuleAxisInfo,
    fp_fusion: bool,
) -> tuple[str, Lowering]:
    """Return a kernel's module as text, and the state that it was lowered with."""
    load_families()
    entry, body = Writer(prefix="%t"), Writer(prefix="%v", block="body")
    allocation = allocate(
        function, buffer_bytes, lambda op: scratch_bytes(op, hardware.target), buffer_alignment
    )
    columns = place_tensor_memory(function, hardware)
    allocation = room_for_address(allocation, columns)
    require_fitting(allocation, function.symbol, hardware.target)
    waits = barriers(function, allocation, columns)
    threads = Threads(entry, thread_ids(entry, hardware, launch))
    low = Lowering(
        hardware,
        info,
        allocation,
        waits.before,
        body,
        threads,
        " contract" if fp_fusion else "",
        waits.fences,
        place_global_scratch(function),
        columns,
        allocate_columns(hardware, entry, threads, columns),
    )
    blocks = reverse_post_order(function.regions[0].blocks[0])
    for n, argument in enumerate(blocks[0].args):
        low.define(argument, [f"%arg{n}"])
    region_of_blocks(low, blocks)
    convention, described = hardware.kernel_header(launch, body)
    signature = ", ".join(
        [
            *(
                f"{parameter_type(each.type)}{hardware.argument_flags} %arg{n}"
                for n, each in enumerate(blocks[0].args)
            ),
            *([f"ptr addrspace(1) {ARGUMENT}"] if low.global_scratch.size else []),
        ]
    )
    entry.jump("body")
    parts = [
        f'target triple = "{hardware.triple}"',
        *([SHARED_MEMORY] if allocation.size else []),
        *dict.fromkeys((*body.globals, *entry.globals)),
        f"define {convention} void @{function.symbol}({signature}) {described} {{",
        "entry:",
        entry.body(),
        "body:",
        body.body(),
        "}",
        *dict.fromkeys((*entry.declarations, *body.declarations)),
        hardware.module_footer(),
    ]
    return "\n".join(parts), low


def thread_ids(writer: Writer, hardware: Hardware, launch: Launch) -> dict[str, tuple[str, int]]:
    """Write the thread's coordinates; return the value and the bits of each."""
    lanes = hardware.target.threads_per_warp.bit_length() - 1
    warps = launch.num_warps.bit_length() - 1
    thread = hardware.thread_id(writer)
    lane, warp = thread, "0"
    if warps:
        lane = writer.value(f"and i32 {thread}, {(1 << lanes) - 1}")
        warp = writer.value(f"lshr i32 {thread}, {lanes}")
    return {"lane": (lane, lanes), "warp": (warp, warps), "block": ("0", 0)}
