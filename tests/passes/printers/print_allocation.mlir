// RUN: weft opt %s -p test-print-allocation | filecheck %s
// RUN: weft opt %s -p test-print-allocation --verify-diagnostics -o /dev/null

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#transposed = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // expected-remark @below {{callee}}
  // expected-remark @below {{size = 64}}
  tt.func private @callee() {
    // expected-remark @below {{offset = 0, size = 64}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<4x8xf16, #shared, #smem, mutable>
    tt.return
  }

  // The IR does not change.
  // CHECK-LABEL: @kernel
  // CHECK-NEXT: %[[A:.*]] = ttg.local_alloc : ()
  // expected-remark @below {{kernel}}
  // expected-remark @below {{size = 6144}}
  tt.func public @kernel(%x: tensor<32x64xf16, #blocked>) {
    // expected-remark @below {{offset = 4096, size = 2048}}
    %0 = ttg.local_alloc : () -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
    // expected-remark @below {{scratch offset = 0, size = 4096}}
    %1 = ttg.convert_layout %x : tensor<32x64xf16, #blocked> -> tensor<32x64xf16, #transposed>
    // expected-remark @below {{virtual offset = 0, size = 64}}
    tt.call @callee() : () -> ()
    ttg.local_dealloc %0 : !ttg.memdesc<32x32xf16, #shared, #smem, mutable>
    tt.return
  }
}
