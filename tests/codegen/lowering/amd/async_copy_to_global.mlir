// RUN: %lower %s | filecheck %s

// Four floats of a lane are contiguous on both sides: one instruction of 128 bits.
// CHECK-LABEL: define {{.*}} @vector(
// CHECK: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) null, i32 %[[OFFSET:\w+]]
// CHECK-NEXT: call void @llvm.amdgcn.global.store.async.from.lds.b128(ptr addrspace(1) %[[P0:\w+]], ptr addrspace(3) %[[PTR1]], i32 0, i32 0)
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @vector(%p_base: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    %t = amdg.async_copy_local_to_global %m, %p : !ttg.memdesc<128xf32, #s, #smem, mutable> -> tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

// A mask is a branch. Both warps hold all elements, so only the first one copies.
// CHECK-LABEL: define {{.*}} @masked_by_owner(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[AND1:\w+]] = and i1 %[[C:\w+]], %[[ICMP1]]
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) null, i32 %[[OFFSET:\w+]]
// CHECK-NEXT: br i1 %[[AND1]], label %leave.1, label %after.2
// CHECK-NEXT: leave.1:
// CHECK-NEXT: call void @llvm.amdgcn.global.store.async.from.lds.b32(ptr addrspace(1) %[[P:\w+]], ptr addrspace(3) %[[PTR1]], i32 0, i32 0)
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
#b = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]], block = []}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @masked_by_owner(%p_base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c_size: i32) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<32x!tt.ptr<f32>, #b>, tensor<32xi32, #b>
    %c_offsets = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    %c_sizes = tt.splat %c_size : i32 -> tensor<32xi32, #b>
    %c = arith.cmpi slt, %c_offsets, %c_sizes : tensor<32xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<32xf32, #s, #smem, mutable>
    %t = amdg.async_copy_local_to_global %m, %p mask %c : !ttg.memdesc<32xf32, #s, #smem, mutable> -> tensor<32x!tt.ptr<f32>, #b>
    tt.return
  }
}
