from __future__ import annotations

from weft.report.machine_code_lines import (
    assembly_places,
    llvm_callers,
    llvm_places,
    sass_places,
)
from weft.report.model import Place

LLVM = """\
define void @k() !dbg !3 {
  %a = add i32 1, 2, !dbg !10
  %b = add i32 %a, 2, !dbg !11
  %c = add i32 %b, 2, !dbg !14
  %d = add i32 %c, 2
  ret void, !dbg !16
}
!1 = !DIFile(filename: "k.py", directory: "/w")
!2 = !DIFile(filename: "standard.py", directory: "/lib")
!3 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1)
!4 = distinct !DISubprogram(name: "max", scope: !2, file: !2, line: 200)
!10 = !DILocation(line: 5, column: 1, scope: !3)
!11 = !DILocation(line: 201, column: 1, scope: !4, inlinedAt: !12)
!12 = distinct !DILocation(line: 6, column: 3, scope: !3)
!14 = !DILocation(line: 202, column: 1, scope: !4, inlinedAt: !15)
!15 = distinct !DILocation(line: 7, column: 3, scope: !3)
!16 = !DILocation(line: 0, scope: !3)
!17 = !DILocation(line: 202, column: 1, scope: !4, inlinedAt: !12)
""".splitlines()


def is_library(file: str) -> bool:
    return file.startswith("/lib/")


def kernel(line: int) -> Place:
    return Place("/w/k.py", line)


def test_llvm_ir_names_the_line_of_the_kernel_that_called_the_library():
    places = llvm_places(LLVM, is_library)
    # The function's own debug node is no location, and line 0 is no line.
    assert places[:6] == [None, kernel(5), kernel(6), kernel(7), None, None]
    assert set(places[6:]) == {None}


def test_callers_of_library_lines():
    assert llvm_callers(LLVM, is_library) == {
        Place("/lib/standard.py", 201): {kernel(6)},
        Place("/lib/standard.py", 202): {kernel(6), kernel(7)},
    }


def test_assembly_with_files_at_its_end():
    text = """\
.visible .entry k()
{
  .loc 1 5 3
  add.s32 %r1, %r2, %r3;
$label:
  .loc 2 201 9
  // a comment
  max.s32 %r1, %r2, %r3;
  .loc 2 202 9
  min.s32 %r1, %r2, %r3;
  .loc 1 0 0
  ret;
}
  .file 1 "/w/k.py"
  .file 2 "/lib" "standard.py"
"""
    callers = llvm_callers(LLVM, is_library)
    places = assembly_places(text.splitlines(), is_library, callers)
    by_line = {line.strip(): place for line, place in zip(text.splitlines(), places, strict=True)}
    assert by_line["add.s32 %r1, %r2, %r3;"] == kernel(5)
    assert by_line["max.s32 %r1, %r2, %r3;"] == kernel(6)
    assert by_line["min.s32 %r1, %r2, %r3;"] is None  # two lines call it
    assert by_line["ret;"] is None
    assert by_line["$label:"] is None
    assert by_line["// a comment"] is None
    assert by_line["{"] is None


def test_sass_with_line_info():
    text = """\
        .section        .text.k
        //## File "/w/k.py", line 5
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        //## File "/lib/standard.py", line 201
        /*0010*/                   S2R R20, SR_TID.X ;
        //## File "/w/k.py", line 0
        /*0020*/                   EXIT ;
"""
    callers = llvm_callers(LLVM, is_library)
    places = sass_places(text.splitlines(), is_library, callers)
    assert places == [None, None, kernel(5), None, kernel(6), None, None]
