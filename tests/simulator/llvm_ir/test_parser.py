"""The parser of LLVM IR text."""

from __future__ import annotations

from weft.simulator.llvm_ir.parser import Instruction, parse, split_arguments
from weft.simulator.llvm_ir.types import Type

TEXT = """
@text.0 = internal constant [4 x i8] c"a\\0Ab\\00"
define ptx_kernel void @k(ptr addrspace(1) %p, i32 %n) "nvvm.reqntid"="32" {
entry:
  %x = fadd contract float %v, 1.0
  ; require i32 %n below 64
  br label %done
done:
  ret void
}
"""


def test_functions():
    (function,) = parse(TEXT)
    assert function.name == "k"
    assert function.arguments == (("%p", Type("ptr", 0, 1)), ("%n", Type("i32")))
    assert function.attributes == {"nvvm.reqntid": "32"}
    assert function.strings == {"@text.0": "a\nb"}
    assert [block.label for block in function.blocks] == ["entry", "done"]
    assert function.blocks[0].instructions[:2] == (
        Instruction("%x", "fadd", "contract float %v, 1.0"),
        Instruction("", "require", "i32 %n below 64"),
    )


def test_arguments_are_split_outside_of_brackets():
    text = 'i32 %a, <2 x i32> <i32 1, i32 2>, "x, y"'
    assert split_arguments(text) == ["i32 %a", "<2 x i32> <i32 1, i32 2>", '"x, y"']
