// RUN: weft opt %s -p test-tritonamdgpu-membar | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<16x64xf16, #shared, #smem, mutable>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  // A load with the token of a wait has its elements, so that the next copy may be issued.
  // CHECK-LABEL: @with_token
  // CHECK: ttg.async_wait
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.local_load {{.*}} {ttg.amdg.syncedViaAsyncWait = true}
  // CHECK-NEXT: ttg.async_copy_global_to_local
  tt.func public @with_token(%p: tensor<16x64x!tt.ptr<f16>, #blocked>) {
    %b = ttg.local_alloc : () -> !buffer
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<16x64x!tt.ptr<f16>, #blocked> -> !buffer
    %t = ttg.async_wait %0 {num = 0 : i32}
    %1 = ttg.local_load %b token %t : !buffer -> tensor<16x64xf16, #blocked>
    %2 = ttg.async_copy_global_to_local %p, %b : tensor<16x64x!tt.ptr<f16>, #blocked> -> !buffer
    tt.return
  }

  // CHECK-LABEL: @without_token
  // CHECK: ttg.local_load {{.*}} {ttg.amdg.syncedViaAsyncWait = false}
  // CHECK-NEXT: ttg.barrier local
  // CHECK-NEXT: ttg.async_copy_global_to_local
  tt.func public @without_token(%p: tensor<16x64x!tt.ptr<f16>, #blocked>) {
    %b = ttg.local_alloc : () -> !buffer
    %0 = ttg.async_copy_global_to_local %p, %b : tensor<16x64x!tt.ptr<f16>, #blocked> -> !buffer
    %t = ttg.async_wait %0 {num = 0 : i32}
    %1 = ttg.local_load %b : !buffer -> tensor<16x64xf16, #blocked>
    %2 = ttg.async_copy_global_to_local %p, %b : tensor<16x64x!tt.ptr<f16>, #blocked> -> !buffer
    tt.return
  }

  // Branches pass the token on.
  // CHECK-LABEL: @token_of_a_block
  // CHECK: ttg.local_load {{.*}} {ttg.amdg.syncedViaAsyncWait = true}
  tt.func public @token_of_a_block(%c: i1) {
    %b = ttg.local_alloc : () -> !buffer
    %0 = ttg.async_wait {num = 0 : i32}
    cf.br ^bb1(%0 : !ttg.async.token)
  ^bb1(%t: !ttg.async.token):
    %1 = ttg.local_load %b token %t : !buffer -> tensor<16x64xf16, #blocked>
    %2 = ttg.async_wait {num = 0 : i32}
    cf.cond_br %c, ^bb1(%2 : !ttg.async.token), ^bb2
  ^bb2:
    tt.return
  }
}
