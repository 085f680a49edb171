// RUN: weft opt %s -p 'triton-amdgpu-insert-instruction-sched-hints{variant=attention}' | filecheck %s
// RUN: weft opt %s -p 'triton-amdgpu-insert-instruction-sched-hints{variant=memory-bound-attention}' | filecheck %s --check-prefix=NONE

// Only the loop in which one dot feeds the left operand of another gets a hint.
// NONE-NOT: amdg.instruction_sched_hint
// CHECK-LABEL: @chained
// CHECK: scf.for
// CHECK-NOT: amdg.instruction_sched_hint
// CHECK: scf.for
// CHECK-NEXT: amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
// CHECK-NEXT: tt.dot
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @chained(%q: tensor<128x64xf16, #a>, %k: tensor<64x64xf16, #b>, %init: tensor<128x64xf32, #mma>, %n: i32) -> (tensor<128x64xf32, #mma>, tensor<128x64xf32, #mma>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<128x64xf32, #mma>)  : i32 {
      %d = tt.dot %q, %k, %acc : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #mma>
      scf.yield %d : tensor<128x64xf32, #mma>
    }
    %two = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<128x64xf32, #mma>)  : i32 {
      %s = tt.dot %q, %k, %init : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #mma>
      %t = arith.truncf %s : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
      %p = ttg.convert_layout %t : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #a>
      %d = tt.dot %p, %k, %acc : tensor<128x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<128x64xf32, #mma>
      scf.yield %d : tensor<128x64xf32, #mma>
    }
    tt.return %one, %two : tensor<128x64xf32, #mma>, tensor<128x64xf32, #mma>
  }
}
