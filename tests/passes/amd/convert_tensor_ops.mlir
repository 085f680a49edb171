// RUN: weft opt %s -p tritonamdgpu-convert-tensor-ops | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
// A buffer has the order of the registers that it is read to.
// CHECK-DAG: #[[ROWS:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
// CHECK-LABEL: @loads
// CHECK: %[[ALWAYS:.*]] = arith.constant 1 : i32
// CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #[[ROWS]], #smem, mutable>
// CHECK-NEXT: amdg.async_tdm_copy_global_to_local %arg0[%arg1, %arg1] into %[[A]], %[[ALWAYS]]
// CHECK-NEXT: amdg.async_tdm_wait{{.*}}{num = 0 : i32}
// CHECK-NEXT: ttg.local_load %[[A]]
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<64x32xf16, #[[COLUMNS]], #smem, mutable>
tt.func public @loads(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) -> (tensor<64x32xf16, #blocked>, tensor<64x32xf16, #column>) {
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #blocked>
  %1 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #column>
  tt.return %0, %1 : tensor<64x32xf16, #blocked>, tensor<64x32xf16, #column>
}

// CHECK-LABEL: @stores
// CHECK-NEXT: %[[B:.*]] = ttg.local_alloc %arg2
// CHECK-NEXT: amdg.async_tdm_copy_local_to_global %arg0[%arg1, %arg1] from %[[B]]
// CHECK-NEXT: amdg.async_tdm_wait{{.*}}{num = 0 : i32}
tt.func public @stores(%d: !tt.tensordesc<tensor<64x32xf16>>, %i: i32, %x: tensor<64x32xf16, #blocked>) {
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16, #blocked>
  tt.return
}

// The data mover's gathers are not used.
// CHECK-LABEL: @gathers
// CHECK: tt.descriptor_gather
tt.func public @gathers(%d: !tt.tensordesc<tensor<1x32xf16>>, %rows: tensor<64xi32, #line>, %i: i32) -> tensor<64x32xf16, #blocked> {
  %0 = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<tensor<1x32xf16>>, tensor<64xi32, #line>, i32) -> tensor<64x32xf16, #blocked>
  tt.return %0 : tensor<64x32xf16, #blocked>
}
}
