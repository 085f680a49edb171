r"""tt.print: one line for each register of each thread.

    tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : tensor<2x64xi32, #blocked>

    "pid (%u, %u, %u) idx (%1u, %2u) x: %i\n"      the program, the indices, and the value

An index is as wide as the largest of its dimension. A hexadecimal value has all digits of its type;
floats are printed by their bits. Each operand has its lines, with "(operand 1)" before the value if
there are several.
Source: measured with Triton 3.7.1.
"""

from __future__ import annotations

from functools import partial

from xdsl.ir import Attribute, SSAValue

from weft.codegen.llvm.constants import quote
from weft.codegen.llvm.types import llvm_type
from weft.codegen.llvm.word_packing import as_integer
from weft.codegen.lowering.common.context import LoweringContext
from weft.codegen.lowering.common.registers import layout_of
from weft.codegen.lowering.registry import lowers
from weft.errors import CodegenError
from weft.ir import tt, types
from weft.ir.attributes import array_values

_AXES = 3
_INT_BITS = 32  # narrower integers are extended for variadic calls


@lowers(tt.PrintOp)
def _print(ctx: LoweringContext, op: tt.PrintOp) -> None:
    prefix, hexadecimal = op.prefix.data.replace("%", "%%"), bool(op.hex.value.data)
    program = [("i32", ctx.hardware.program.program_id(ctx.writer, axis)) for axis in range(_AXES)]
    place = "pid (%u, %u, %u)"
    if not op.args_:
        _line(ctx, f"{place}{prefix}\n", program)
    signs = array_values(op.isSigned)
    if len(signs) != len(op.args_):
        raise CodegenError(
            "isSigned of tt.print must have one number per operand",
            found=len(signs),
            accepted=[len(op.args_)],
        )
    for n, value in enumerate(op.args_):
        numbered = f"{prefix}(operand {n}) " if len(op.args_) > 1 else prefix
        shape = types.shape(value.type) if types.is_tensor(value.type) else ()
        index = ", ".join(f"%{len(str(size - 1))}u" for size in shape)
        shown = _format(types.element(value.type), hexadecimal, bool(signs[n]))
        line = f"{place} idx ({index}){numbered}{shown}\n"
        for indices, register in _registers(ctx, value):
            argument = _passed(
                ctx, register, types.element(value.type), hexadecimal, bool(signs[n])
            )
            _line(ctx, line, [*program, *indices, argument])


def _line(ctx: LoweringContext, text: str, arguments: list[tuple[str, str]]) -> None:
    constant = partial(text_constant, ctx)
    ctx.hardware.messages.print(ctx.writer, ctx.threads.entry, text, constant, arguments)


def text_constant(ctx: LoweringContext, text: str) -> str:
    """Get the address of a zero-terminated string constant."""
    name = f"@text.{len(ctx.writer.globals)}"
    size = len(text.encode()) + 1
    constant = f"internal constant [{size} x i8] c{quote(text + chr(0))}"
    for definition in ctx.writer.globals:
        if definition.endswith(f" = {constant}"):
            return definition.partition(" ")[0]
    ctx.writer.globals[f"{name} = {constant}"] = None
    return name


def _registers(ctx: LoweringContext, value: SSAValue) -> list[tuple[list[tuple[str, str]], str]]:
    """List the lines of a value: the indices and the register of each."""
    if not types.is_tensor(value.type):
        return [([], ctx.scalar(value))]
    layout = layout_of(value.type)
    axes = [ctx.threads.indices(ctx.writer, layout, dim) for dim in range(len(layout.out_dims))]
    return [
        ([("i32", index) for index in place], register)
        for *place, register in zip(*axes, ctx[value], strict=True)
    ]


def _format(type_: Attribute, hexadecimal: bool, signed: bool) -> str:
    if types.is_pointer(type_):
        return "%p"
    bits = types.bit_width(type_)
    long = "ll" if bits > _INT_BITS else ""
    if hexadecimal:
        return f"0x%0{max(1, bits // 4)}{long}x"
    if types.is_float(type_):
        return "%f"
    return f"%{long}{'i' if signed else 'u'}"


def _passed(
    ctx: LoweringContext, register: str, type_: Attribute, hexadecimal: bool, signed: bool
) -> tuple[str, str]:
    """Convert a value to a variadic argument: an i32, i64, double or pointer."""
    w, kind = ctx.writer, llvm_type(type_)
    if types.is_pointer(type_):
        return "i64", w.value(f"ptrtoint {kind} {register} to i64")
    bits = types.bit_width(type_)
    if types.is_float(type_) and not hexadecimal:
        return "double", _as_double(ctx, register, type_)
    if types.is_float(type_):
        register, kind = as_integer(w, kind, bits, register), f"i{bits}"
    if bits < _INT_BITS:
        extend = "sext" if signed and not hexadecimal else "zext"
        return "i32", w.value(f"{extend} {kind} {register} to i32")
    return kind, register


def _as_double(ctx: LoweringContext, register: str, type_: Attribute) -> str:
    if type_ == types.f64:
        return register
    if type_ != types.f32:
        (register,) = ctx.floats.convert([register], type_, types.f32)
    return ctx.writer.value(f"fpext float {register} to double")
