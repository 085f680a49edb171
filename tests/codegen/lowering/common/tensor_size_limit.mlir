// RUN: %lower %s | filecheck %s

// A tensor has at most 2^20 elements, here 1024 in each thread.
// CHECK-LABEL: define {{.*}} @largest(
// CHECK: %[[X:\w+]] = fadd contract float %arg0, %arg0
// CHECK: ret void
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [32], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 32 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @largest(%x: f32) {
    %t = tt.splat %x : f32 -> tensor<1048576xf32, #b>
    %y = arith.addf %t, %t : tensor<1048576xf32, #b>
    tt.return
  }
}
