// RUN: %lower %s | filecheck %s

// 16-bit accumulators pass through the wait in pairs, one register for two values.
// CHECK-LABEL: define {{.*}} @pairs_of_halves(
// CHECK: %[[PAIR1:\w+]] = bitcast <2 x half> %[[VEC1:\w+]] to i32
// CHECK: %[[PAIR2:\w+]] = bitcast <2 x half> %[[VEC2:\w+]] to i32
// CHECK-NEXT: %[[WAIT:\w+]] = call { i32, i32 } asm sideeffect "wgmma.wait_group.sync.aligned 2;", "=r,=r,0,1,~{memory}"(i32 %[[PAIR1]], i32 %[[PAIR2]]) convergent
// CHECK-NEXT: %[[WORD1:\w+]] = extractvalue { i32, i32 } %[[WAIT]], 0
// CHECK-NEXT: %[[WORD2:\w+]] = extractvalue { i32, i32 } %[[WAIT]], 1
// CHECK-NEXT: %[[HALVES1:\w+]] = bitcast i32 %[[WORD1]] to <2 x half>
// CHECK-NEXT: %[[D0:\w+]] = extractelement <2 x half> %[[HALVES1]], i32 0
// CHECK: store half %[[D0]], ptr addrspace(1) %arg0
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @pairs_of_halves(%c_ptr: !tt.ptr<f16>) {
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f16> -> tensor<64x8x!tt.ptr<f16>, #mma>
    %c = tt.load %c_ptrs : tensor<64x8x!tt.ptr<f16>, #mma>
    %d = ttng.warp_group_dot_wait %c {pendings = 2 : i32} : tensor<64x8xf16, #mma>
    tt.store %c_ptrs, %d : tensor<64x8x!tt.ptr<f16>, #mma>
    tt.return
  }
}

// -----

// Accumulators of two types and an operand's buffer pass through one wait. The buffer stays where
// it is.
// CHECK-LABEL: define {{.*}} @accumulators_and_buffer(
// CHECK: call { float, float, float, float, i32, i32 } asm sideeffect "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=r,=r,0,1,2,3,4,5,~{memory}"(float
// CHECK-NOT: wgmma.wait_group
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @accumulators_and_buffer(%c_ptr: !tt.ptr<f32>, %d_ptr: !tt.ptr<f16>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x16xf16, #s, #smem, mutable>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<64x8x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<64x8x!tt.ptr<f32>, #mma>
    %d_ptrs = tt.splat %d_ptr : !tt.ptr<f16> -> tensor<64x8x!tt.ptr<f16>, #mma>
    %d = tt.load %d_ptrs : tensor<64x8x!tt.ptr<f16>, #mma>
    %w:3 = ttng.warp_group_dot_wait %c, %a, %d {pendings = 0 : i32} : tensor<64x8xf32, #mma>, !ttg.memdesc<64x16xf16, #s, #smem, mutable>, tensor<64x8xf16, #mma>
    tt.return
  }
}

// -----

// The two scopes of the proxy fence.
// CHECK-LABEL: define {{.*}} @fences(
// CHECK: call void asm sideeffect "fence.proxy.async.shared::cta;", "~{memory}"()
// CHECK-NEXT: call void asm sideeffect "fence.proxy.async.shared::cluster;", "~{memory}"()
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @fences() {
    ttng.fence_async_shared {bCluster = false}
    ttng.fence_async_shared {bCluster = true}
    tt.return
  }
}
