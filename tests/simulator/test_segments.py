"""Segments of a kernel."""

from __future__ import annotations

from weft.simulator.llvm_ir.parser import parse
from weft.simulator.segments import split

TEXT = """
define void @k() {
entry:
  %a = add i32 1, 2
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 3, i32 64)
  %b = add i32 %a, 2
  %c = icmp eq i32 %a, %b
  br i1 %c, label %entry2, label %done
entry2:
  call void @llvm.amdgcn.s.barrier()
  br label %done
done:
  %d = phi i32 [ 1, %entry ], [ %b, %entry2 ]
  ret void
}
"""


def test_segments():
    kernel = split(parse(TEXT)[0])
    segments = kernel.segments
    assert kernel.starts == {"entry": 0, "entry2": 2, "done": 4}
    assert [segment.barrier for segment in segments] == [(3, 64), None, (0, 0), None, None]
    assert [len(segment.steps) for segment in segments] == [1, 2, 0, 0, 0]
    branch = segments[1].terminator
    assert branch is not None
    assert (branch.labels, branch.condition) == (("entry2", "done"), "%c")
    ((name, incoming),) = segments[4].phis
    assert (name, list(incoming)) == ("%d", ["entry", "entry2"])
