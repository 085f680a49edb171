// RUN: weft opt %s -p triton-nvidia-mma-lowering | filecheck %s

#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#scales = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// A synchronous MMA waits on a new mbarrier.
// CHECK-LABEL: @waits
// CHECK: %[[BAR:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64, {{.*}}, #smem, mutable>
// CHECK-NEXT: ttng.init_barrier %[[BAR]], 1
// CHECK-NEXT: ttng.tc_gen5_mma %arg0, %arg1, %arg2, %arg3, %arg4, %[[BAR]][%true] {is_async}
// CHECK-NEXT: ttng.wait_barrier %[[BAR]], %c0_i32, %arg4
// CHECK-NEXT: ttng.inval_barrier %[[BAR]]
tt.func public @waits(%a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %d: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %u: i1, %p: i1) {
  ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// Scales in shared memory are copied to tensor memory.
// CHECK-LABEL: @scales
// CHECK: %[[A:.*]] = ttng.tmem_alloc : () -> !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory, mutable>
// CHECK-NEXT: ttng.tmem_copy %arg3, %[[A]]
// CHECK: ttng.tc_gen5_mma_scaled %arg0, %arg1, %arg2, %[[A]], %arg4, {{.*}} {is_async}
tt.func public @scales(%a: !ttg.memdesc<128x128xf8E5M2, #plain, #smem>, %b: !ttg.memdesc<128x64xf8E5M2, #plain, #smem>, %d: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %s: !ttg.memdesc<128x4xi8, #plain, #smem>, %t: !ttg.memdesc<64x4xi8, #scales, #ttng.tensor_memory>, %u: i1, %p: i1) {
  ttng.tc_gen5_mma_scaled %a, %b, %d, %s, %t, %u, %p lhs = e5m2 rhs = e5m2 : !ttg.memdesc<128x128xf8E5M2, #plain, #smem>, !ttg.memdesc<128x64xf8E5M2, #plain, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x4xi8, #plain, #smem>, !ttg.memdesc<64x4xi8, #scales, #ttng.tensor_memory>
  tt.return
}

// A commit after an asynchronous MMA becomes an mbarrier of it, with the view that it names.
// CHECK-LABEL: @commits
// CHECK: %[[BAR:.*]] = ttg.memdesc_index %arg4[%arg5]
// CHECK-NEXT: ttng.tc_gen5_mma %arg0, %arg1, %arg2, %arg3, %true, %[[BAR]][%true] {is_async}
// CHECK-NEXT: tt.return
tt.func public @commits(%a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %d: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %u: i1, %bars: !ttg.memdesc<2x1xi64, #bar, #smem, mutable>, %i: i32) {
  %true = arith.constant true
  ttng.tc_gen5_mma %a, %b, %d, %u, %true {is_async} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %bar = ttg.memdesc_index %bars[%i] : !ttg.memdesc<2x1xi64, #bar, #smem, mutable> -> !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.tc_gen5_commit %bar : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// An MMA that may not be issued keeps its commit.
// CHECK-LABEL: @conditional
// CHECK: ttng.tc_gen5_mma %arg0, %arg1, %arg2, %arg3, %arg4 {is_async}
// CHECK-NEXT: ttng.tc_gen5_commit %arg5
tt.func public @conditional(%a: !ttg.memdesc<128x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %d: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  ttng.tc_gen5_mma %a, %b, %d, %u, %p {is_async} : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  ttng.tc_gen5_commit %bar : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}
