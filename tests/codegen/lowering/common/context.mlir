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

// -----

// A barrier precedes the load: other warps stored what it reads.
// CHECK-LABEL: define {{.*}} @barrier_before_hazard(
// CHECK: %[[OR1:\w+]] = or disjoint i32 %[[IN1:\w+]], %[[IN2:\w+]]
// CHECK-NEXT: %[[OR2:\w+]] = or disjoint i32 %[[IN3:\w+]], %[[IN4:\w+]]
// CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[OR2]]
// CHECK-NEXT: %[[LOAD1:\w+]] = load i32, ptr addrspace(3) %[[PTR1]], align 4
// CHECK-NEXT: %[[Y:\w+]] = bitcast i32 %[[LOAD1]] to float
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#t = #ttg.linear<{register = [], lane = [[4], [8], [16], [32], [64]], warp = [[1], [2]], block = []}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @barrier_before_hazard(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<128x!tt.ptr<f32>, #b>
    %m = ttg.local_alloc %x : (tensor<128xf32, #b>) -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    %y = ttg.local_load %m : !ttg.memdesc<128xf32, #s, #smem, mutable> -> tensor<128xf32, #t>
    tt.return
  }
}
