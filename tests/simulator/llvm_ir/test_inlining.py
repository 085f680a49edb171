"""Inlining of calls."""

from __future__ import annotations

from weft.simulator.llvm_ir.inlining import inline_calls
from weft.simulator.llvm_ir.parser import parse

TEXT = """
define internal float @f(float %x) {
entry:
  %y = fadd float %x, %x
  ret float %y
}
define void @k(float %a) {
entry:
  %b = call float @f(float %a)
  br label %done
done:
  %c = phi float [ %b, %entry ]
  ret void
}
"""


def test_a_call_becomes_the_body_of_its_callee():
    kernel = inline_calls(parse(TEXT))
    assert [block.label for block in kernel.blocks] == ["entry", "c1.entry", "c1.after", "done"]
    entry, body, after, result = (block.instructions for block in kernel.blocks)
    assert entry[-1].rest == "label %c1.entry"
    assert (body[0].result, body[0].rest) == ("%c1.y", "float %a, %a")
    assert body[-1].rest == "label %c1.after"
    assert after[-1].rest == "label %done"
    assert result[0].rest == "float [ %c1.y, %c1.after ]"
