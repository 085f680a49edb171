"""Code generation raises a CodegenError with a location, and nothing else."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.oracle.mutants.code_generation import DEFECTS, DIALECTS, kernel, lower_mutants
from tests.oracle.mutants.sampling import collect, sample
from tests.oracle.mutants.sources import dialect_modules
from weft.codegen import lower
from weft.codegen.lowering.common.located_errors import located_errors
from weft.errors import CodegenError, InternalCodegenError, LayoutError, Location
from weft.ir import tt
from weft.ir.builtin import ModuleOp
from weft.ir.text import parse_module

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
    assert not isinstance(raised.value, InternalCodegenError)
    if not isinstance(error, CodegenError):
        assert raised.value.__cause__ is error


@pytest.mark.parametrize("error", [KeyError("x"), AssertionError(), MemoryError(), OSError("y")])
def test_other_exceptions_are_internal_errors(error: Exception) -> None:
    function = function_of(parse_module(TEXT, "f.mlir"))
    with pytest.raises(InternalCodegenError) as raised, located_errors(function):
        raise error
    assert raised.value.message == (
        "'tt.func' op cannot be lowered to LLVM IR: internal error: "
        f"{type(error).__name__}: {error}"
    )
    assert raised.value.location is not None
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
        ('ttg.target = "cuda:90"', 'ttg.target = "cuda:9"', "unknown target cuda:9"),
    ],
)
def test_a_module_that_is_no_kernel(before: str, after: str, message: str) -> None:
    with pytest.raises(CodegenError, match=message) as raised:
        lower(parse_module(TEXT.replace(before, after), "f.mlir"))
    assert raised.value.location is not None


def test_a_mutant_gets_layouts_and_operands() -> None:
    """The mutants of TTIR are lowered, too: their tensors get layouts, and a definition."""
    text = """
    tt.func @f(%x: tensor<256xf32>) {
      %0 = arith.addf %x, %x : tensor<256xf32>
      tt.return
    }
    """
    module = kernel(text, "hip:gfx942")
    assert module is not None
    assert "fadd contract float poison" in lower(module).text


def test_mutants_that_the_verifier_accepts() -> None:
    """Changed programs of each operation are lowered, or refused with a location."""
    groups = collect(dialect_modules(), lambda name: name.partition(".")[0] in DIALECTS)
    mutants = islice(sample(groups, count=1, seed=16, programs_per_op=1), 0, None, 23)
    lowerings = list(lower_mutants(mutants, ("cuda:90", "hip:gfx942")))
    assert sum(lowering.outcome == "lowered" for lowering in lowerings) > 50
    assert not [
        (lowering.mutant.op, lowering.chip, lowering.place, lowering.message)
        for lowering in lowerings
        if lowering.outcome in DEFECTS
    ]
