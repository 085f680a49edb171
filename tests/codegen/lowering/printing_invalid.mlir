// RUN: %lower %s -split-input-file -verify-diagnostics

// Each operand is signed or not.
// expected-error@unknown {{isSigned of tt.print must have one number per operand}}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%x: i32) {
    tt.print "x: " {hex = false, isSigned = array<i32: 1>} : %x, %x : i32, i32
    tt.return
  }
}
