"""Lower a TTGIR module to an LLVM module.

tt.func public @add(%x: !tt.ptr<f32>, %n: i32)  →  define ptx_kernel void @add(
                                                      ptr addrspace(1) %arg0, i32 %arg1) … {
                                                    entry:   the thread's coordinates
                                                    body:    the operations
                                                  }
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace
from xdsl.ir import Attribute

from weft.analysis.axis_info import ModuleAxisInfo, axis_info
from weft.analysis.hazards import barriers
from weft.codegen.hardware import Hardware, hardware_of
from weft.codegen.llvm.module import Launch, LlvmModule
from weft.codegen.llvm.names import global_name
from weft.codegen.llvm.types import count_descriptor_arguments, parameter_type
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.call import (
    Frame,
    callees_first,
    returned_type,
    write_exit,
)
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.global_scratch import ARGUMENT, place_global_scratch
from weft.codegen.lowering.common.indices import ThreadIndices
from weft.codegen.lowering.common.located_errors import located_errors
from weft.codegen.lowering.common.registers import distinct_parts, part_types, representative_parts
from weft.codegen.lowering.common.shared_memory_limit import check_shared_memory_limit
from weft.codegen.lowering.common.tensor_size_limit import check_tensor_sizes
from weft.codegen.lowering.common.view_offsets import constant_view_offsets
from weft.codegen.lowering.common.warp_groups import plan_partitions
from weft.codegen.lowering.control_flow import lower_blocks
from weft.codegen.lowering.kernel_shared_memory import allocate_memory
from weft.codegen.lowering.nvidia.tcgen05.allocation import allocate_columns
from weft.codegen.lowering.warp_specialize import dispatch_warps
from weft.errors import CodegenError
from weft.ir import locations, tt, ttg, types
from weft.ir.builtin import Block, IntegerAttr, ModuleOp, StringAttr
from weft.ir.dominance import postorder
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
    shared = _Shared(hardware, launch, info, ranges, fusion, libraries)
    ctx = None
    for function in callees_first(module, public[0]):
        with located_errors(function):
            ctx = shared.add(function, is_kernel=function is public[0])
    assert ctx is not None
    own = ctx.global_scratch
    return LlvmModule(
        shared.text(ctx.allocation.size),
        public[0].symbol,
        hardware.target,
        shared.launch,
        ctx.allocation.size,
        own.size * launch.num_ctas,
        own.alignment,
        tuple((path, tuple(symbols)) for path, symbols in shared.libraries.items()),
        tuple(shared.positions),
    )


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


class _Shared(Struct):
    """What the functions of a module share, and the text of those that are lowered.

    Attributes:
        hardware: The chip.
        launch: Launch parameters.
        info: Axis info of the module.
        ranges: Computes the ranges of the module's integers.
        fusion: Flag of floating-point operations that may be fused.
        library_paths: Bitcode files by name, from the compile options.
        globals: Globals of the module.
        declarations: Declarations of the module.
        libraries: Functions of each bitcode library.
        frames: What callers know of each function.
        texts: Text of the functions.
        positions: Number of a line in `texts`, and the source location of it and of the lines
            after it.
    """

    hardware: Hardware
    launch: Launch
    info: ModuleAxisInfo
    ranges: Callable[[], IntegerRanges]
    fusion: str
    library_paths: Mapping[str, str]
    globals: dict[str, None] = field(default_factory=dict)
    declarations: dict[str, None] = field(default_factory=dict)
    libraries: dict[str, dict[str, None]] = field(default_factory=dict)
    frames: dict[str, Frame] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    positions: list[tuple[int, Attribute | None]] = field(default_factory=list)
    _line_count: int = 0

    def add(self, function: tt.FuncOp, *, is_kernel: bool) -> LoweringContext:
        """Lower a function after its callees; return the state at its end."""
        check_tensor_sizes(function)
        ctx = self._begun(function, is_kernel=is_kernel)
        blocks = postorder(function.regions[0])[::-1]
        signature = self._arguments(ctx, blocks[0], is_kernel)
        lower_blocks(ctx, blocks)
        results = function.function_type.outputs.data
        if not is_kernel:
            _require_plain(ctx, function)
            write_exit(ctx, results)
        if ctx.global_scratch.size:
            signature.append(f"ptr addrspace(1) {ARGUMENT}")
        entry, partitions = ctx.threads.entry, self._finish_entry(ctx)
        convention, described = self.hardware.module_format.kernel_header(self.launch, ctx.writer)
        returned = "void"
        if not is_kernel:
            convention, described = "internal", f"alwaysinline {described}"
            returned = returned_type(results)
        head = (
            f"define {convention} {returned} {global_name(function.symbol)}({', '.join(signature)})"
        )
        self.positions.append((self._line_count, function.location))
        self._append(f"{head} {described} {{")
        self.positions.append((self._line_count, None))
        entry.first = "entry"
        for writer in (entry, ctx.writer, *partitions):
            self._append(f"{writer.first}:")
            self.positions += [(self._line_count + n, place) for n, place in writer.positions]
            self._append(writer.body())
            self.positions.append((self._line_count, None))
        self._append("}")
        own = ctx.global_scratch
        self.frames[function.symbol] = Frame(ctx.allocation.size, own.size, own.alignment)
        return ctx

    def _scratch(self) -> dict[str, tuple[int, int]]:
        """Get bytes and alignment of each function's global scratch memory."""
        return {
            name: (frame.scratch_bytes, frame.scratch_alignment)
            for name, frame in self.frames.items()
        }

    def _append(self, text: str) -> None:
        self.texts.append(text)
        self._line_count += text.count("\n") + 1

    def _finish_entry(self, ctx: LoweringContext) -> list[Writer]:
        """Terminate the entry block; return the blocks of the worker warps."""
        groups, entry = ctx.groups, ctx.threads.entry
        if groups is None:
            entry.jump("body")
            return []
        blocks = dispatch_warps(groups, self.hardware, entry)
        self.launch = replace(
            self.launch,
            num_warps=groups.total,
            maxnreg=groups.registers or self.launch.maxnreg,
        )
        return blocks

    def _begun(self, function: tt.FuncOp, *, is_kernel: bool) -> LoweringContext:
        """Create the state in which the lowering of a function begins."""
        hardware = self.hardware
        entry, body = (
            Writer(block, [], self.declarations, self.globals, self.libraries, prefix)
            for prefix, block in (("%t", "entry"), ("%v", "body"))
        )
        allocation, columns = allocate_memory(function, hardware, self.frames)
        check_shared_memory_limit(allocation, function.symbol, hardware.target)
        groups = None
        if is_kernel:
            groups = plan_partitions(
                function,
                self.launch.num_warps,
                allocation,
                shares_registers=hardware.program.reallocates_registers,
            )
        own = self.launch.num_warps * hardware.target.threads_per_warp
        waits = barriers(function, allocation, columns)
        threads = thread_indices(entry, hardware, self.launch)
        return LoweringContext(
            hardware if groups is None else hardware.for_partition(0, own),
            self.info,
            self.ranges,
            allocation,
            waits.before,
            body,
            threads,
            self.fusion,
            waits.fences,
            place_global_scratch(function, threads, self._scratch(), is_kernel=is_kernel),
            columns,
            allocate_columns(hardware, entry, threads, columns),
            cache(lambda: constant_view_offsets(function)),
            groups=groups,
            library_paths=self.library_paths,
        )

    def _arguments(self, ctx: LoweringContext, block: Block, is_kernel: bool) -> list[str]:
        """Define a function's arguments; return them as text."""
        if not is_kernel:
            ctx.returns = []
            ctx.threads.shared = "%shared"
            return ["ptr addrspace(3) %shared", *_registers_as_arguments(ctx, block)]
        by_pointer = self.hardware.module_format.passes_descriptors_by_pointer
        kinds = [argument.type for argument in block.args]
        for n, kind in enumerate(kinds):
            if types.is_tensor(kind) or ttg.is_memdesc(kind):
                raise CodegenError(
                    f"parameter {n} of a kernel must be a scalar, a pointer or a descriptor",
                    found=str(kind),
                )
        for n, argument in enumerate(block.args):
            parts = count_descriptor_arguments(kinds, n) if by_pointer else 1
            ctx.define(argument, [f"%arg{n + each}" for each in range(parts)])
        flags = self.hardware.module_format.argument_attributes
        return [
            f"{parameter_type(kind, by_pointer)}{flags} %arg{n}" for n, kind in enumerate(kinds)
        ]

    def text(self, shared_bytes: int) -> str:
        """Get the module's text; the positions count its lines from then on."""
        base = self.hardware.module_format.shared_memory
        header = [
            f'target triple = "{self.hardware.module_format.triple}"',
            *([SHARED_MEMORY] if shared_bytes and base == "@shared" else []),
            *self.globals,
            *(self.hardware.module_format.library_header() if self.libraries else []),
        ]
        first = sum(text.count("\n") + 1 for text in header)
        self.positions = [(first + n, location) for n, location in self.positions]
        footer = [*self.declarations, self.hardware.module_format.module_footer()]
        return "\n".join([*header, *self.texts, *footer])


def _registers_as_arguments(ctx: LoweringContext, block: Block) -> list[str]:
    """Define a block's arguments as parameters, one per distinct register."""
    parameters: list[str] = []
    for number, argument in enumerate(block.args):
        kinds = part_types(argument.type)
        names = {n: f"%arg{number}.{n}" for n in distinct_parts(argument.type)}
        parameters += [f"{kinds[n]} {name}" for n, name in names.items()]
        ctx.define(argument, [names[n] for n in representative_parts(argument.type)])
    return parameters


def _require_plain(ctx: LoweringContext, function: tt.FuncOp) -> None:
    """Check that a called function has no tensor memory.

    Raises:
        CodegenError: It has memory that only kernels can have.
    """
    if ctx.tensor_memory.columns:
        raise CodegenError(
            f"{function.symbol} is called, and has tensor memory, which only kernels can have",
            location=locations.position(function.location),
            accepted=["shared memory", "global scratch memory"],
            hint="take noinline from the function",
        )


def thread_indices(writer: Writer, hardware: Hardware, launch: Launch) -> ThreadIndices:
    """Compute the thread's coordinates among the kernel's warps."""
    lanes = hardware.target.threads_per_warp.bit_length() - 1
    warps = launch.num_warps.bit_length() - 1
    thread = hardware.program.bounded(
        writer, hardware.program.thread_id(writer), 1 << lanes + warps
    )
    lane, warp = thread, "0"
    if warps:
        lane = writer.value(f"and i32 {thread}, {(1 << lanes) - 1}")
        first = hardware.program.uniform(writer, thread)
        warp = hardware.program.bounded(
            writer, writer.value(f"lshr i32 {first}, {lanes}"), 1 << warps
        )
    blocks = launch.num_ctas.bit_length() - 1
    block = hardware.program.cta_rank(writer) if blocks else "0"
    ids = {"lane": (lane, lanes), "warp": (warp, warps), "block": (block, blocks)}
    return ThreadIndices(writer, ids, thread, hardware.module_format.shared_memory)
