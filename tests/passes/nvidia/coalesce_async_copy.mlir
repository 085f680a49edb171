// RUN: weft opt %s -p tritongpu-coalesce-async-copy --split-input-file | filecheck %s

// A thread reads 16 elements of 8 bits in a row and may write 8: it gets 8.
// CHECK: #[[EIGHT:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @clipped
// CHECK: %[[P:.*]] = ttg.convert_layout %arg0 : {{.*}} -> tensor<64x64x!tt.ptr<i8>, #[[EIGHT]]>
// CHECK: %[[M:.*]] = ttg.convert_layout %arg2 : {{.*}} -> tensor<64x64xi1, #[[EIGHT]]>
// CHECK: ttg.async_copy_global_to_local %[[P]], %arg1 mask %[[M]] : tensor<64x64x!tt.ptr<i8>, #[[EIGHT]]>
#blocked = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @clipped(%p: tensor<64x64x!tt.ptr<i8>, #blocked>, %b: !ttg.memdesc<64x64xi8, #shared, #smem, mutable>, %m: tensor<64x64xi1, #blocked>) {
    %t = ttg.async_copy_global_to_local %p, %b mask %m {contiguity = 16 : i32} : tensor<64x64x!tt.ptr<i8>, #blocked> -> <64x64xi8, #shared, #smem, mutable>
    tt.return
  }
}

// -----

// Fewer elements than threads, in the layout of the users: the copy gets a coalesced layout.
// One of 16 bits cannot: a copy takes 32 at least.
// CHECK: #[[OWN:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @small
// CHECK: %[[P:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x!tt.ptr<f32>, #[[OWN]]>
// CHECK-NEXT: ttg.async_copy_global_to_local %[[P]], %arg1 : tensor<64x!tt.ptr<f32>, #[[OWN]]>
// CHECK-NEXT: ttg.async_copy_global_to_local %arg2, %arg3 : tensor<64x!tt.ptr<f16>, #ttg.slice
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @small(%p: tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #blocked}>>, %b: !ttg.memdesc<64xf32, #shared, #smem, mutable>, %q: tensor<64x!tt.ptr<f16>, #ttg.slice<{dim = 0, parent = #blocked}>>, %c: !ttg.memdesc<64xf16, #shared, #smem, mutable>) {
    %t = ttg.async_copy_global_to_local %p, %b : tensor<64x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #blocked}>> -> <64xf32, #shared, #smem, mutable>
    %u = ttg.async_copy_global_to_local %q, %c : tensor<64x!tt.ptr<f16>, #ttg.slice<{dim = 0, parent = #blocked}>> -> <64xf16, #shared, #smem, mutable>
    tt.return
  }
}
