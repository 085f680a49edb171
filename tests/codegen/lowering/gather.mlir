// RUN: %lower %s | filecheck %s

// The axis lies in one warp: each element is read by a shuffle.
// CHECK-LABEL: define {{.*}} @within_warp(
// CHECK: ; require i32 %[[I:\w+]] below 32
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[I]], 31
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[X:\w+]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST1]], i32 %[[AND1]], i32 31)
// CHECK-NEXT: %[[Y:\w+]] = bitcast i32 %[[SHFL1]] to float
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @within_warp(%x_ptr: !tt.ptr<f32>, %i_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<f32>, #b>
    %i_ptrs = tt.splat %i_ptr : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    %i = tt.load %i_ptrs : tensor<32x!tt.ptr<i32>, #b>
    %y = tt.gather %x[%i] {axis = 0 : i32, efficient_layout} : (tensor<32xf32, #b>, tensor<32xi32, #b>) -> tensor<32xf32, #b>
    tt.return
  }
}

// -----

// Between warps: through shared memory.
// CHECK-LABEL: define {{.*}} @between_warps(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 5
// CHECK: ; require i32 %[[I:\w+]] below 64
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[IN2:\w+]], %[[SHL1]]
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 %[[OR1]]
// CHECK-NEXT: store float %[[X:\w+]], ptr addrspace(3) %[[PTR1]], align 4
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 %[[I]]
// CHECK-NEXT: %[[Y:\w+]] = load float, ptr addrspace(3) %[[PTR2]]
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @between_warps(%x_ptr: !tt.ptr<f32>, %i_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %i_ptrs = tt.splat %i_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %i = tt.load %i_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %y = tt.gather %x[%i] {axis = 0 : i32} : (tensor<64xf32, #b>, tensor<64xi32, #b>) -> tensor<64xf32, #b>
    tt.return
  }
}
