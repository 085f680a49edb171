// RUN: %lower %s | filecheck %s

// Only ranges and pointer additions write instructions; the other operations rename registers.
// CHECK-LABEL: define {{.*}} @rename(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[R0:\w+]] = and i32 %[[SHL1]], 6
// CHECK: %[[R1:\w+]] = or disjoint i32 %[[R0]], 1
// CHECK-NEXT: %[[Q0:\w+]] = getelementptr float, ptr addrspace(1) %arg0, i32 %[[R0]]
// CHECK-NEXT: %[[Q1:\w+]] = getelementptr float, ptr addrspace(1) %arg0, i32 %[[R1]]
// CHECK-NEXT: %[[U0:\w+]] = add i32 %[[R0]], %[[R0]]
// CHECK-NEXT: %[[U1:\w+]] = add i32 %[[U0]], 2
#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @rename(%p: !tt.ptr<f32>) {
    %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x8xi32, #b>
    %w = tt.broadcast %e : tensor<1x8xi32, #b> -> tensor<8x8xi32, #b>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #b>
    %q = tt.addptr %s, %w : tensor<8x8x!tt.ptr<f32>, #b>, tensor<8x8xi32, #b>
    %t = tt.trans %w {order = array<i32: 1, 0>} : tensor<8x8xi32, #b> -> tensor<8x8xi32, #t>
    %u = arith.addi %t, %t : tensor<8x8xi32, #t>
    tt.return
  }
}

// -----

// Join interleaves registers, split takes them apart.
// CHECK-LABEL: define {{.*}} @join_and_split(
// CHECK: %[[D0:\w+]] = fsub contract float %[[X0:\w+]], %[[Y0:\w+]]
// CHECK-NEXT: %[[D1:\w+]] = fsub contract float %[[X1:\w+]], %[[Y1:\w+]]
// CHECK-NEXT: %[[JJ0:\w+]] = fsub contract float %[[X0]], %[[X0]]
// CHECK-NEXT: %[[JJ1:\w+]] = fsub contract float %[[Y0]], %[[Y0]]
// CHECK-NEXT: %[[JJ2:\w+]] = fsub contract float %[[X1]], %[[X1]]
// CHECK-NEXT: %[[JJ3:\w+]] = fsub contract float %[[Y1]], %[[Y1]]
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @join_and_split(%x_ptr: !tt.ptr<f32>, %y_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %y_ptrs = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %y = tt.load %y_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %j = tt.join %x, %y : tensor<64xf32, #b> -> tensor<64x2xf32, #c>
    %l, %r = tt.split %j : tensor<64x2xf32, #c> -> tensor<64xf32, #b>
    %d = arith.subf %l, %r : tensor<64xf32, #b>
    %jj = arith.subf %j, %j : tensor<64x2xf32, #c>
    tt.return
  }
}
