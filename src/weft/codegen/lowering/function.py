"""Lower the functions of a module.

tt.func public @add(%x: !tt.ptr<f32>)     define ptx_kernel void @add(ptr addrspace(1) %arg0) … {
                                          entry:   the thread's coordinates
                                          body:    the operations
                                          }
tt.func private @norm(%x: tensor<…>)      define internal float @norm(ptr addrspace(3) %shared,
                                                                      float %arg0.0, …) … {
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace
from xdsl.ir import Attribute

from weft.analysis.axis_info import ModuleAxisInfo
from weft.analysis.hazards import barriers
from weft.codegen.hardware import Hardware
from weft.codegen.llvm.module import Launch
from weft.codegen.llvm.names import global_name
from weft.codegen.llvm.types import count_descriptor_arguments, parameter_type
from weft.codegen.llvm.writer import Writer
from weft.codegen.lowering.call import Frame, returned_type, write_exit
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.global_scratch import ARGUMENT, place_global_scratch
from weft.codegen.lowering.common.indices import ThreadIndices
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
from weft.ir.builtin import Block
from weft.ir.dominance import postorder

if TYPE_CHECKING:
    from weft.analysis.integer_ranges import IntegerRanges

__all__ = ["FunctionLowering"]


class FunctionLowering(Struct):
    """Lower the functions of a module; the state is what they share, and their text.

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
        ctx = self._begin(function, is_kernel=is_kernel)
        blocks = postorder(function.regions[0])[::-1]
        signature = self._arguments(ctx, blocks[0], is_kernel)
        lower_blocks(ctx, blocks)
        if not is_kernel:
            _require_plain(ctx, function)
            write_exit(ctx, function.function_type.outputs.data)
        if ctx.global_scratch.size:
            signature.append(f"ptr addrspace(1) {ARGUMENT}")
        entry, partitions = ctx.threads.entry, self._finish_entry(ctx)
        entry.first = "entry"
        head = self._head(function, ctx, signature, is_kernel=is_kernel)
        self._write(head, function.location, [entry, ctx.writer, *partitions])
        own = ctx.global_scratch
        self.frames[function.symbol] = Frame(ctx.allocation.size, own.size, own.alignment)
        return ctx

    def _head(
        self,
        function: tt.FuncOp,
        ctx: LoweringContext,
        signature: Sequence[str],
        *,
        is_kernel: bool,
    ) -> str:
        """Get a function's first line, without the brace."""
        convention, described = self.hardware.module_format.kernel_header(self.launch, ctx.writer)
        returned = "void"
        if not is_kernel:
            convention, described = "internal", f"alwaysinline {described}"
            returned = returned_type(function.function_type.outputs.data)
        name = global_name(function.symbol)
        return f"define {convention} {returned} {name}({', '.join(signature)}) {described}"

    def _write(self, head: str, location: Attribute | None, blocks: Sequence[Writer]) -> None:
        """Append a function to the text, with the source locations of its lines."""
        self.positions.append((self._line_count, location))
        self._append(f"{head} {{")
        self.positions.append((self._line_count, None))
        for writer in blocks:
            self._append(f"{writer.first}:")
            self.positions += [(self._line_count + n, place) for n, place in writer.positions]
            self._append(writer.body())
            self.positions.append((self._line_count, None))
        self._append("}")

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

    def _begin(self, function: tt.FuncOp, *, is_kernel: bool) -> LoweringContext:
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
        threads = _thread_indices(entry, hardware, self.launch)
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


def _thread_indices(writer: Writer, hardware: Hardware, launch: Launch) -> ThreadIndices:
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
