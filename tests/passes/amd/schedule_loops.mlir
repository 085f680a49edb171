// RUN: weft opt %s -p 'tritonamdgpu-schedule-loops{num_stages=2}' --split-input-file | filecheck %s
// RUN: weft opt %s -p 'tritonamdgpu-schedule-loops{num_stages=4}' --split-input-file | filecheck %s --check-prefix=FOUR

// The load runs in the first stage, the dot in the last one. Nothing else has a stage yet.
// CHECK-LABEL: @matmul
// CHECK: tt.load %{{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK-NEXT: ttg.convert_layout %{{[^{]*}} : tensor
// CHECK-NEXT: tt.dot %{{.*}} {loop.cluster = 1 : i32, loop.stage = 1 : i32}
// CHECK-NEXT: tt.addptr %{{[^{]*}} : tensor
// CHECK: {tt.scheduled_max_stage = 1 : i32}
// FOUR-LABEL: @matmul
// FOUR: tt.load %{{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// FOUR: tt.dot %{{.*}} {loop.cluster = 1 : i32, loop.stage = 3 : i32}
// FOUR: {tt.scheduled_max_stage = 3 : i32}
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
tt.func @matmul(%n: i32, %pa: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128xf16, #b>, %zero: tensor<128x128xf32, #mma>) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<128x32xi32, #blocked>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %pa) -> (tensor<128x128xf32, #mma>, tensor<128x32x!tt.ptr<f16>, #blocked>) : i32 {
    %v = tt.load %p : tensor<128x32x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %v : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #a>
    %d = tt.dot %x, %y, %acc : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #mma>
    %q = tt.addptr %p, %step : tensor<128x32x!tt.ptr<f16>, #blocked>, tensor<128x32xi32, #blocked>
    scf.yield %d, %q : tensor<128x128xf32, #mma>, tensor<128x32x!tt.ptr<f16>, #blocked>
  }
  tt.return %r#0 : tensor<128x128xf32, #mma>
}

// A loop that asks for one stage, or prints, has no schedule.
// CHECK-LABEL: @unscheduled
// CHECK-NOT: loop.stage
// CHECK-NOT: tt.scheduled_max_stage
tt.func @unscheduled(%n: i32, %pa: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128xf16, #b>, %zero: tensor<128x128xf32, #mma>) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %v = tt.load %pa : tensor<128x32x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %v : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #a>
    %d = tt.dot %x, %y, %acc : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  } {tt.num_stages = 1 : i32}
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %r) -> (tensor<128x128xf32, #mma>) : i32 {
    %v = tt.load %pa : tensor<128x32x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %v : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #a>
    %d = tt.dot %x, %y, %acc : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #mma>
    tt.print " i: " {hex = false, isSigned = array<i32: 1>} : %i : i32
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %s : tensor<128x128xf32, #mma>
}

// With four stages, a dot on the result of another dot runs one stage later. The exponential has
// two users, so it stays with the first dot; what follows it moves to the second one. With two
// stages, only the loads and dots that they feed are in the schedule.
// CHECK-LABEL: @chained
// CHECK: tt.load %{{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK: tt.dot %{{.*}} {loop.cluster = 1 : i32, loop.stage = 1 : i32}
// CHECK-NEXT: math.exp2 %{{[^{]*}} : tensor
// CHECK: tt.dot %{{.*}} {loop.cluster = 1 : i32, loop.stage = 1 : i32}
// FOUR-LABEL: @chained
// FOUR: tt.load %{{.*}} {loop.cluster = 5 : i32, loop.stage = 0 : i32}
// FOUR: tt.dot %{{.*}} {loop.cluster = 0 : i32, loop.stage = 2 : i32}
// FOUR: math.exp2 %{{.*}} {loop.cluster = 7 : i32, loop.stage = 2 : i32}
// FOUR: arith.addf %{{.*}} {loop.cluster = 1 : i32, loop.stage = 3 : i32}
// FOUR: ttg.convert_layout %{{.*}} {loop.cluster = 1 : i32, loop.stage = 3 : i32}
// FOUR: tt.load %{{.*}} {loop.cluster = 11 : i32, loop.stage = 1 : i32}
// FOUR: tt.dot %{{.*}} {loop.cluster = 6 : i32, loop.stage = 3 : i32}
tt.func @chained(%n: i32, %pv: tensor<128x128x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 128]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %pk: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %q: tensor<32x128xf16, #b>, %zero: tensor<128x128xf32, #mma>) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %zero) -> (tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>) : i32 {
    %k = tt.load %pk : tensor<128x32x!tt.ptr<f16>, #blocked>
    %x = ttg.convert_layout %k : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #a>
    %s = tt.dot %x, %q, %none : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #mma>
    %e = math.exp2 %s : tensor<128x128xf32, #mma>
    %t = arith.addf %sum, %e : tensor<128x128xf32, #mma>
    %h = arith.truncf %e : tensor<128x128xf32, #mma> to tensor<128x128xf16, #mma>
    %p = ttg.convert_layout %h : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #a>
    %w = tt.load %pv : tensor<128x128x!tt.ptr<f16>, #blocked>
    %v = ttg.convert_layout %w : tensor<128x128xf16, #blocked> -> tensor<128x128xf16, #b>
    %o = tt.dot %p, %v, %acc : tensor<128x128xf16, #a> * tensor<128x128xf16, #b> -> tensor<128x128xf32, #mma>
    scf.yield %o, %t : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<128x128xf32, #mma>, tensor<128x128xf32, #mma>
}
}

// -----

// The tensor was shuffled in global memory so that a view of it is the operand of the dot. The load
// gets the layout that the views lead to, which is no less coalesced, and bypasses shared memory.
// CHECK-LABEL: @shuffled
// CHECK: ttg.convert_layout %{{.*}} -> tensor<8x512x!tt.ptr<f16>, #linear>
// CHECK-NEXT: tt.load %{{.*}} {amdg.bypass_lds_load = true, loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: tt.reshape
// FOUR-LABEL: @shuffled
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>
#split = #ttg.linear<{register = [[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 4], [4, 0, 0, 0]], lane = [[0, 0, 1, 0], [0, 0, 2, 0], [0, 0, 4, 0], [0, 0, 8, 0], [0, 1, 0, 0], [0, 2, 0, 0]], warp = [[1, 0, 0, 0], [2, 0, 0, 0]], block = []}>
#moved = #ttg.linear<{register = [[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 4], [4, 0, 0, 0]], lane = [[0, 1, 0, 0], [0, 2, 0, 0], [0, 4, 0, 0], [0, 8, 0, 0], [0, 0, 1, 0], [0, 0, 2, 0]], warp = [[1, 0, 0, 0], [2, 0, 0, 0]], block = []}>
#rows = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], warp = [[16, 0], [32, 0]], block = []}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [16, 16, 32], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
tt.func @shuffled(%n: i32, %pa: tensor<8x512x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 512]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %y: tensor<32x128xf16, #b>, %zero: tensor<128x128xf32, #mma>) -> tensor<128x128xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32, #mma>) : i32 {
    %v = tt.load %pa : tensor<8x512x!tt.ptr<f16>, #blocked>
    %w = tt.reshape %v : tensor<8x512xf16, #blocked> -> tensor<8x4x16x8xf16, #split>
    %t = tt.trans %w {order = array<i32: 0, 2, 1, 3>} : tensor<8x4x16x8xf16, #split> -> tensor<8x16x4x8xf16, #moved>
    %u = tt.reshape %t : tensor<8x16x4x8xf16, #moved> -> tensor<128x32xf16, #rows>
    %x = ttg.convert_layout %u : tensor<128x32xf16, #rows> -> tensor<128x32xf16, #a>
    %d = tt.dot %x, %y, %acc : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #mma>
    scf.yield %d : tensor<128x128xf32, #mma>
  }
  tt.return %r : tensor<128x128xf32, #mma>
}
}
