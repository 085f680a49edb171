// RUN: weft opt %s -p triton-nvidia-tma-lowering --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// A load waits at a barrier for its bytes.
// CHECK-LABEL: @load
// CHECK: %[[M:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
// CHECK-NEXT: %[[BAR:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64, {{.*}}, #smem, mutable>
// CHECK-NEXT: ttng.init_barrier %[[BAR]], 1
// CHECK-NEXT: ttng.barrier_expect %[[BAR]], 8192, %true
// CHECK-NEXT: ttng.async_tma_copy_global_to_local %arg0[%arg1, %arg1] %[[M]], %[[BAR]], %true
// CHECK-NEXT: ttng.wait_barrier %[[BAR]], %c0_i32
// CHECK-NEXT: ttng.inval_barrier %[[BAR]]
// CHECK-NEXT: ttg.local_load %[[M]]
tt.func public @load(%d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %i: i32) -> tensor<64x64xf16, #blocked> {
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
  tt.return %x : tensor<64x64xf16, #blocked>
}

// A tile that is only loaded from shared memory to be stored is copied from its buffer by TMA.
// CHECK-LABEL: @copy
// CHECK-NOT: ttg.local_load
// CHECK: ttng.fence_async_shared
// CHECK-NEXT: ttng.async_tma_copy_local_to_global %arg1[%arg2, %arg2] %[[B:.*]] :
// CHECK-NEXT: ttng.async_tma_store_wait {pendings = 0 : i32}
tt.func public @copy(%d: !tt.tensordesc<tensor<1x64x64xf16, #shared3>>, %e: !tt.tensordesc<tensor<64x64xf16, #shared>>, %i: i32) {
  %x = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<tensor<1x64x64xf16, #shared3>> -> tensor<64x64xf16, #blocked>
  tt.descriptor_store %e[%i, %i], %x : !tt.tensordesc<tensor<64x64xf16, #shared>>, tensor<64x64xf16, #blocked>
  tt.return
}

// CHECK-LABEL: @reduce
// CHECK: ttg.local_alloc %arg2
// CHECK-NEXT: ttng.fence_async_shared
// CHECK-NEXT: ttng.async_tma_reduce add, %arg0[%arg1, %arg1]
tt.func public @reduce(%d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %i: i32, %x: tensor<64x64xf16, #blocked>) {
  tt.descriptor_reduce add, %d[%i, %i], %x : !tt.tensordesc<tensor<64x64xf16, #shared>>, tensor<64x64xf16, #blocked>
  tt.return
}

// 512 rows of 64 f16: boxes of 256 rows, as wide as the exchange; strides in bytes.
// CHECK-LABEL: @make
// CHECK: %[[P:.*]] = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32}
// CHECK-NEXT: %[[S:.*]] = arith.muli %arg3, %c2_i64
// CHECK-NEXT: ttng.tensormap_create %[[P]], %arg0, [%c64_i32, %c256_i32], [%arg2, %arg1], [%[[S]]], [%c1_i32, %c1_i32] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32}
// CHECK-NEXT: ttng.tensormap_fenceproxy_acquire %[[P]]
// CHECK-NEXT: ttng.reinterpret_tensor_descriptor %[[P]]
tt.func public @make(%p: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64) -> !tt.tensordesc<tensor<512x64xf16, #shared>> {
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%s, %one] {padding = 2 : i32} : <f16>, <tensor<512x64xf16, #shared>>
  tt.return %d : !tt.tensordesc<tensor<512x64xf16, #shared>>
}
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// The wait passes on the buffer that TMA fills, which is mutable.
// CHECK-LABEL: @wait_for_wgmma
// CHECK: ttng.warp_group_dot_wait {{.*}} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
tt.func public @wait_for_wgmma(%d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %i: i32, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
  %1 = ttg.local_alloc %0 : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %2 = ttng.warp_group_dot %1, %1, %c {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
  %3:2 = ttng.warp_group_dot_wait %2, %1 {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem>
  tt.return %3#0 : tensor<64x64xf32, #mma>
}
}
