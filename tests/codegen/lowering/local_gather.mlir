// RUN: %lower %s | filecheck %s

// The address of each element is computed from its index along the axis.
// CHECK-LABEL: define {{.*}} @rows(
// CHECK: %[[LSHR1:\w+]] = lshr i32 %[[IN1:\w+]], 3
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[IN1]], 7
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[I:\w+]], 3
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL1]], 120
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[AND1]], 7
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND2]], %[[AND3]]
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[OR1]]
// CHECK-NEXT: %[[LOAD1:\w+]] = load i32, ptr addrspace(3) %[[PTR1]], align 4
// CHECK-NEXT: %[[G:\w+]] = bitcast i32 %[[LOAD1]] to float
// CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[G]] to i32
// CHECK-NEXT: store i32 %[[BITCAST1]], ptr addrspace(3) %[[PTR1]], align 4
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @rows(%i_ptr: !tt.ptr<i32>) {
    %i_ptrs = tt.splat %i_ptr : !tt.ptr<i32> -> tensor<4x8x!tt.ptr<i32>, #b>
    %i = tt.load %i_ptrs : tensor<4x8x!tt.ptr<i32>, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<16x8xf32, #s, #smem, mutable>
    %g = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<16x8xf32, #s, #smem, mutable>, tensor<4x8xi32, #b> -> tensor<4x8xf32, #b>
    ttg.local_scatter %m[%i], %g {axis = 0 : i32} : !ttg.memdesc<16x8xf32, #s, #smem, mutable>, tensor<4x8xi32, #b>, tensor<4x8xf32, #b>
    tt.return
  }
}

// -----

// A swizzled tile, along the contiguous dimension: the swizzle is applied to the index.
// CHECK-LABEL: define {{.*}} @swizzled(
// CHECK: %[[LSHR1:\w+]] = lshr i32 %[[IN1:\w+]], 3
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[IN1]], 7
// CHECK: %[[ZEXT1:\w+]] = zext i16 %[[I:\w+]] to i32
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[LSHR1]], 1
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL1]], 6
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[LSHR1]], 3
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[SHL2]], 56
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND2]], %[[AND3]]
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[ZEXT1]], 7
// CHECK-NEXT: %[[XOR1:\w+]] = xor i32 %[[OR1]], %[[AND4]]
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i16, ptr addrspace(3) null, i32 %[[XOR1]]
// CHECK-NEXT: %[[LOAD1:\w+]] = load i16, ptr addrspace(3) %[[PTR1]], align 2, !noalias !3
// CHECK-NEXT: %[[G:\w+]] = bitcast i16 %[[LOAD1]] to half
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @swizzled(%i_ptr: !tt.ptr<i16>) {
    %i_ptrs = tt.splat %i_ptr : !tt.ptr<i16> -> tensor<8x8x!tt.ptr<i16>, #b>
    %i = tt.load %i_ptrs : tensor<8x8x!tt.ptr<i16>, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<8x8xf16, #s, #smem, mutable>
    %g = ttg.local_gather %m[%i] {axis = 1 : i32} : !ttg.memdesc<8x8xf16, #s, #smem, mutable>, tensor<8x8xi16, #b> -> tensor<8x8xf16, #b>
    tt.return
  }
}
