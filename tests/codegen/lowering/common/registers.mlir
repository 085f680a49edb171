// RUN: %lower %s | filecheck %s

// Registers 0 and 2 hold the same element, and so do 1 and 3: two instructions for four registers.
// CHECK-LABEL: define {{.*}} @replicated_registers(
// CHECK: %[[Y0:\w+]] = fadd contract float %[[X0:\w+]], %[[X0]]
// CHECK-NEXT: %[[Y1:\w+]] = fadd contract float %[[X1:\w+]], %[[X1]]
#b = #ttg.linear<{register = [[1], [0]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @replicated_registers(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %y = arith.addf %x, %x : tensor<64xf32, #b>
    tt.return
  }
}

// -----

// The bound is divisible by 8, so the comparison is constant over eight columns: one instruction for
// the eight registers of a thread.
// CHECK-LABEL: define {{.*}} @constant_run(
// CHECK: %[[C0:\w+]] = icmp slt i32 %[[R0:\w+]], %arg0
#b = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @constant_run(%n: i32 {tt.divisibility = 16 : i32}) {
    %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %s = tt.splat %n : i32 -> tensor<256xi32, #b>
    %c = arith.cmpi slt, %r, %s : tensor<256xi32, #b>
    tt.return
  }
}
