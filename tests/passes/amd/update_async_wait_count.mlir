// RUN: weft opt %s -p 'tritonamdgpu-update-async-wait-count{arch-generation-name=gfx950}' | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {

// Each copy of 128x32 elements takes two instructions: a lane holds 16 elements and copies 8.
// CHECK-LABEL: @tokens
// CHECK: amdg.async_wait %{{.*}} {num_inst = 2 : i32}
// CHECK: amdg.async_wait %{{.*}} {num_inst = 0 : i32}
tt.func @tokens(%p: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %m: !ttg.memdesc<128x32xf16, #shared, #smem, mutable>, %n: !ttg.memdesc<128x32xf16, #shared, #smem, mutable>) {
  %a = ttg.async_copy_global_to_local %p, %m : tensor<128x32x!tt.ptr<f16>, #blocked> -> <128x32xf16, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %a
  %b = ttg.async_copy_global_to_local %p, %n : tensor<128x32x!tt.ptr<f16>, #blocked> -> <128x32xf16, #shared, #smem, mutable>
  %h = ttg.async_commit_group tokens %b
  %w = ttg.async_wait %g {num = 0 : i32}
  %x = ttg.async_wait %h {num = 0 : i32}
  tt.return
}

// Without tokens, the wait is for all but the last group.
// CHECK-LABEL: @groups
// CHECK: amdg.async_wait {num_inst = 2 : i32}
tt.func @groups(%p: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %m: !ttg.memdesc<128x32xf16, #shared, #smem, mutable>, %n: !ttg.memdesc<128x32xf16, #shared, #smem, mutable>) {
  %a = ttg.async_copy_global_to_local %p, %m : tensor<128x32x!tt.ptr<f16>, #blocked> -> <128x32xf16, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %a
  %b = ttg.async_copy_global_to_local %p, %n : tensor<128x32x!tt.ptr<f16>, #blocked> -> <128x32xf16, #shared, #smem, mutable>
  %h = ttg.async_commit_group tokens %b
  %w = ttg.async_wait {num = 1 : i32}
  tt.return
}

// A copy with element-wise masks takes an instruction for each element. What is issued in a loop
// counts as nothing.
// CHECK-LABEL: @masked
// CHECK: amdg.async_wait %{{.*}} {num_inst = 16 : i32}
tt.func @masked(%c: i32, %p: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 32]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}, %mask: tensor<128x32xi1, #blocked>, %m: !ttg.memdesc<128x32xf16, #shared, #smem, mutable>, %n: !ttg.memdesc<128x32xf16, #shared, #smem, mutable>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.async_copy_global_to_local %p, %m : tensor<128x32x!tt.ptr<f16>, #blocked> -> <128x32xf16, #shared, #smem, mutable>
  %g = ttg.async_commit_group tokens %a
  %b = ttg.async_copy_global_to_local %p, %n mask %mask : tensor<128x32x!tt.ptr<f16>, #blocked> -> <128x32xf16, #shared, #smem, mutable>
  %h = ttg.async_commit_group tokens %b
  scf.for %i = %c0 to %c step %c1 : i32 {
    %d = ttg.async_copy_global_to_local %p, %n : tensor<128x32x!tt.ptr<f16>, #blocked> -> <128x32xf16, #shared, #smem, mutable>
    %e = ttg.async_commit_group tokens %d
  }
  %w = ttg.async_wait %g {num = 0 : i32}
  tt.return
}
}
