"""Code generation raises a CodegenError with a location, and nothing else."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.oracle.mutants.sampling import collect, sample
from tests.oracle.mutants.sources import dialect_modules
from weft.codegen import lower
from weft.codegen.lowering.common.located_errors import located_errors
from weft.errors import CodegenError, LayoutError, Location, WeftError
from weft.ir import tt, ttg, ttng, types, ub
from weft.ir.builtin import Block, FunctionType, ModuleOp, StringAttr
from weft.ir.text import parse_module
from weft.ir.verifier import verify

DIALECTS = ("amdg", "arith", "nvws", "scf", "tt", "ttg", "ttng")
TEXT = """
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4],
                         order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90",
                   "ttg.threads-per-warp" = 32 : i32} {
tt.func public @k(%x: i32) {
  %y = tt.splat %x : i32 -> tensor<128xi32, #blocked>
  tt.return
}
}
"""


def function_of(module: ModuleOp) -> tt.FuncOp:
    function = module.body.block.first_op
    assert isinstance(function, tt.FuncOp)
    return function


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("x"), "'tt.func' op cannot be lowered to LLVM IR: KeyError: 'x'"),
        (AssertionError(), "'tt.func' op cannot be lowered to LLVM IR: AssertionError"),
        (LayoutError("no fragment"), "'tt.func' op cannot be lowered to LLVM IR: no fragment"),
        (CodegenError("no dot"), "no dot"),
    ],
)
def test_errors_get_the_location_of_the_operation(error: Exception, message: str) -> None:
    function = function_of(parse_module(TEXT, "f.mlir"))
    with pytest.raises(CodegenError) as raised, located_errors(function):
        raise error
    assert raised.value.message.startswith(message)
    assert raised.value.location is not None
    assert raised.value.location.line == 6
    if not isinstance(error, CodegenError):
        assert raised.value.__cause__ is error


def test_a_location_stays() -> None:
    function = function_of(parse_module(TEXT, "f.mlir"))
    place = Location("g.mlir", 7)
    with pytest.raises(CodegenError) as raised, located_errors(function):
        raise CodegenError("no dot", location=place)
    assert raised.value.location is place


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("%x: i32", "%x: i32, %z: tensor<128xi32, #blocked>", "parameter 1 of a kernel must be"),
        ('"ttg.num-warps" = 4 : i32, ', "", "the module has no ttg.num-warps"),
        ('"ttg.num-ctas" = 1 : i32', '"ttg.num-ctas" = 3 : i32', "ttg.num-ctas must be a power"),
        ('"ttg.num-ctas" = 1 : i32', '"ttg.num-ctas" = "1"', "ttg.num-ctas must be a power"),
        ('ttg.target = "cuda:90"', "ttg.target = 90 : i32", "ttg.target must be a string"),
    ],
)
def test_a_module_that_is_no_kernel(before: str, after: str, message: str) -> None:
    with pytest.raises(CodegenError, match=message) as raised:
        lower(parse_module(TEXT.replace(before, after), "f.mlir"))
    assert raised.value.location is not None


def replace_arguments(function: tt.FuncOp) -> None:
    """Let operations define the tensors and buffers that a function takes."""
    block = function.regions[0].blocks.first
    assert isinstance(block, Block)
    for argument in list(block.args):
        type_ = argument.type
        if types.is_tensor(type_):
            definition = ub.PoisonOp.create(result_types=[type_])
        elif isinstance(type_, ttg.MemDescType) and type_.is_mutable:
            in_tensor_memory = isinstance(type_.memory_space, ttng.TensorMemoryAttr)
            cls = ttng.TMEMAllocOp if in_tensor_memory else ttg.LocalAllocOp
            definition = cls.create(result_types=[type_])
        else:
            continue
        assert block.first_op is not None
        block.insert_op_before(definition, block.first_op)
        argument.replace_all_uses_with(definition.results[0])
        block.erase_arg(argument)
    inputs = [argument.type for argument in block.args]
    outputs = list(function.function_type.outputs.data)
    function.properties["function_type"] = FunctionType.from_lists(inputs, outputs)
    function.properties.pop("arg_attrs", None)


def test_mutants_that_the_verifier_accepts() -> None:
    """Changed programs of each operation are lowered, or refused with a location."""
    groups = collect(dialect_modules(), lambda name: name.partition(".")[0] in DIALECTS)
    lowered, unlocated = 0, []
    for mutant in islice(sample(groups, count=1, seed=16, programs_per_op=1), 0, None, 23):
        try:
            module = parse_module(mutant.text, "f.mlir")
            verify(module)
            replace_arguments(function_of(module))
            verify(module)
        except WeftError:
            continue
        if not isinstance(module.attributes.get("ttg.target"), StringAttr):
            continue
        lowered += 1
        try:
            lower(module)
        except CodegenError as error:
            if error.location is None:
                unlocated.append((mutant.op, mutant.rule, error.message))
    assert lowered > 20
    assert not unlocated
