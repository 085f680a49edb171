// RUN: weft opt %s -p tritonamdgpu-in-thread-transpose --split-input-file | filecheck %s

// The right operand of a dot was loaded along its rows and is read along K, its columns: each
// thread loads four rows, turns them, and writes columns to a buffer that is ordered along K.
// CHECK: #[[TALL:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [8, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
// CHECK: #[[TURNED:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], lane =
// CHECK: #[[BUFFER:shared[0-9]*]] = #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>
// CHECK-LABEL: @right
// CHECK: %[[P:.*]] = ttg.convert_layout %arg0
// CHECK: %[[X:.*]] = tt.load %[[P]] : tensor<64x64x!tt.ptr<f16>, #[[TALL]]>
// CHECK: %[[T:.*]] = amdg.in_thread_transpose %{{.*}} : tensor<64x64xf16, #[[TALL]]> -> tensor<64x64xf16, #[[TURNED]]>
// CHECK-NEXT: %[[B:.*]] = ttg.local_alloc %[[T]] : {{.*}} -> !ttg.memdesc<64x64xf16, #[[BUFFER]], #smem>
// CHECK-NEXT: ttg.local_load %[[B]]
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [32, 32, 8], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @right(%p: tensor<64x64x!tt.ptr<f16>, #blocked>) -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %o = ttg.local_load %b : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    tt.return %o : tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  }
}

// -----

// A pipelined loop carries views of the buffer: all of them change, and both writes are turned.
// CHECK: #[[BUFFER:shared[0-9]*]] = #ttg.amd_rotating_shared
// CHECK-LABEL: @pipelined
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #[[BUFFER]], #smem, mutable>
// CHECK: %[[T:.*]] = amdg.in_thread_transpose
// CHECK-NEXT: ttg.local_store %[[T]], %{{.*}} -> !ttg.memdesc<64x64xf16, #[[BUFFER]], #smem, mutable>
// CHECK: scf.for {{.*}} -> (!ttg.memdesc<64x64xf16, #[[BUFFER]], #smem, mutable>)
// CHECK: ttg.local_load %{{.*}} : !ttg.memdesc<64x64xf16, #[[BUFFER]], #smem, mutable>
// CHECK: %[[U:.*]] = amdg.in_thread_transpose
// CHECK-NEXT: ttg.local_store %[[U]]
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [32, 32, 8], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @pipelined(%p: tensor<64x64x!tt.ptr<f16>, #blocked>, %n: i32, %out: tensor<64x64x!tt.ptr<f16>, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %b = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %first = ttg.memdesc_index %b[%c0] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ttg.local_store %x, %first : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %first) -> (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>)  : i32 {
      %o = ttg.local_load %v : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
      tt.store %out, %o : tensor<64x64x!tt.ptr<f16>, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
      %y = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
      %next = ttg.memdesc_index %b[%i] : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      ttg.local_store %y, %next : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      scf.yield %next : !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    }
    ttg.local_dealloc %b : !ttg.memdesc<2x64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

// The left operand is contiguous along K already. Asynchronous copies do not pass through registers,
// so they are not transposed either.
// CHECK-LABEL: @left
// CHECK-NOT: amdg.in_thread_transpose
// CHECK: tt.return
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [32, 32, 8], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @left(%p: tensor<64x64x!tt.ptr<f16>, #blocked>) -> (tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>) {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %o = ttg.local_load %b : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
    %c = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %c : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %q = ttg.local_load %c : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    tt.return %o, %q : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
  }
}
