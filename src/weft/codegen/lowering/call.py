"""Calls of `noinline` functions, and returns.

    tt.func private @norm(%x: tensor<256xf32, #b>) -> f32        2 registers per thread

    define internal float @norm(ptr addrspace(3) %shared, float %x0, float %x1)
    %7 = call float @norm(ptr addrspace(3) %3, float %5, float %6)

Registers that hold distinct elements are arguments; results are returned in a struct. The caller
passes the address of the callee's shared memory, which it allocates where nothing is live during
the call. A callee with global scratch memory takes its address as the last argument.
Recursion is an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from xdsl.ir import Attribute, Operation

from weft.codegen.llvm.names import global_name
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import distinct_parts, part_types, representative_parts
from weft.codegen.lowering.common.value_phis import ValuePhis
from weft.codegen.lowering.nvidia.tcgen05.allocation import free_columns
from weft.codegen.lowering.registry import lowers
from weft.codegen.lowering.warp_specialize import stop_workers
from weft.errors import CodegenError
from weft.ir import locations, tt
from weft.ir.builtin import ModuleOp
from weft.ir.rewriting import walk

__all__ = ["Frame", "callees_first", "returned_type", "write_exit"]


class Frame(Struct, frozen=True):
    """What callers know of a function.

    Attributes:
        shared_bytes: Shared memory that it needs.
        scratch_bytes: Global scratch memory that it needs.
        scratch_alignment: Of this memory, in bytes.
    """

    shared_bytes: int
    scratch_bytes: int = 0
    scratch_alignment: int = 1


def callees_first(module: ModuleOp, kernel: tt.FuncOp) -> list[tt.FuncOp]:
    """List the functions that a kernel reaches, callees before callers.

    Raises:
        CodegenError: A function is recursive, or the module does not define a callee.
    """
    functions = {op.symbol: op for op in module.body.block.ops if isinstance(op, tt.FuncOp)}
    order: list[tt.FuncOp] = []
    under_way: list[str] = []

    def visit(function: tt.FuncOp) -> None:
        under_way.append(function.symbol)
        for op in walk(function):
            if not isinstance(op, tt.CallOp):
                continue
            name = op.callee.string_value()
            if name in under_way:
                raise _refused(op, "a function that calls itself cannot be lowered", name)
            if name not in functions:
                raise _refused(op, "a call of a function that the module does not have", name)
            if functions[name].callable_region is None:
                raise _refused(op, "a call of a function without a body", name)
            if functions[name] not in order:
                visit(functions[name])
        under_way.pop()
        order.append(function)

    visit(kernel)
    return order


def _refused(op: Operation, message: str, name: str) -> CodegenError:
    return CodegenError(message, location=locations.position(op.location), found=f"@{name}")


def frame_bytes(op: Operation, frames: Mapping[str, Frame]) -> int:
    """Count the shared memory of an operation's callee; 0 for other operations."""
    return frames[op.callee.string_value()].shared_bytes if isinstance(op, tt.CallOp) else 0


@lowers(tt.CallOp)
def _call(ctx: LoweringContext, op: tt.CallOp) -> None:
    w = ctx.writer
    placed = ctx.allocation.scratch.get(op)
    base = ctx.threads.constant_address(placed.start) if placed is not None else "null"
    operands = [f"ptr addrspace(3) {base}"]
    for operand in op.args_:
        kinds, registers = part_types(operand.type), ctx[operand]
        operands += [f"{kinds[n]} {registers[n]}" for n in distinct_parts(operand.type)]
    if op in ctx.global_scratch.offsets:
        address = ctx.global_scratch.address(op, w, ctx.hardware)
        operands.append(f"ptr addrspace(1) {address}")
    types_ = [result.type for result in op.outs]
    whole = returned_type(types_)
    text = f"call {whole} {global_name(op.callee.string_value())}({', '.join(operands)})"
    if whole == "void":
        w.line(text)
        return
    call = w.value(text)
    parts = iter(_members(ctx, whole, call, sum(len(distinct_parts(kind)) for kind in types_)))
    for result in op.outs:
        firsts = distinct_parts(result.type)
        contents = dict(zip(firsts, parts, strict=False))
        ctx.define(result, [contents[n] for n in representative_parts(result.type)])


def _members(ctx: LoweringContext, whole: str, value: str, count: int) -> list[str]:
    if count == 1:
        return [value]
    return [ctx.writer.value(f"extractvalue {whole} {value}, {n}") for n in range(count)]


def returned_type(types_: Sequence[Attribute]) -> str:
    """Get the LLVM return type of a function with results of some types."""
    parts = [part_types(type_)[n] for type_ in types_ for n in distinct_parts(type_)]
    if len(parts) < 2:
        return parts[0] if parts else "void"
    return f"{{ {', '.join(parts)} }}"


@lowers(tt.ReturnOp)
def _return(ctx: LoweringContext, op: tt.ReturnOp) -> None:
    if ctx.returns is not None:
        ctx.returns.append(([ctx[operand] for operand in op.operands], ctx.writer.block))
        ctx.writer.jump("exit")
        return
    stop_workers(ctx)
    free_columns(ctx.hardware, ctx.writer, ctx.threads, ctx.tensor_memory, ctx.tensor_base)
    ctx.writer.line("ret void")


def write_exit(ctx: LoweringContext, types_: Sequence[Attribute]) -> None:
    """Write the exit block, whose phis merge the operands of all returns."""
    w = ctx.writer
    w.start("exit")
    merges = [ValuePhis.of(ctx.writer, type_) for type_ in types_]
    for registers, source in ctx.returns or ():
        for merge, storage in zip(merges, registers, strict=True):
            merge.add(storage, source)
    whole = returned_type(types_)
    names = [phi.name for merge in merges for phi in merge.phis]
    if len(names) < 2:
        w.line(f"ret {whole} {names[0]}" if names else "ret void")
        return
    kinds = [phi.type for merge in merges for phi in merge.phis]
    total = "poison"
    for n, (kind, name) in enumerate(zip(kinds, names, strict=True)):
        total = w.value(f"insertvalue {whole} {total}, {kind} {name}, {n}")
    w.line(f"ret {whole} {total}")
