// RUN: weft opt %s -p test-print-buffer-region --split-input-file | filecheck %s
// RUN: weft opt %s -p test-print-buffer-region --split-input-file --verify-diagnostics -o /dev/null

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<16x32xf16, #shared, #smem, mutable>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @views
  tt.func public @views(%i: i32, %c: i1) {
    %a = ttg.local_alloc {allocation.offset = 1024 : i32} : () -> !ttg.memdesc<2x16x32xf16, #shared, #smem, mutable>
    %b = ttg.memdesc_index %a[%i] : !ttg.memdesc<2x16x32xf16, #shared, #smem, mutable> -> !buffer
    // expected-remark @below {{Buffers: [1024, 1024], [2048, 1024]}}
    %0 = ttg.local_load %b : !buffer -> tensor<16x32xf16, #blocked>
    %d = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buffer
    %e = ttg.memdesc_subslice %d[8, 0] : !buffer -> !ttg.memdesc<8x32xf16, #shared, #smem, mutable, 16x32>
    // expected-remark @below {{Buffers: [512, 512]}}
    %1 = ttg.local_load %e : !ttg.memdesc<8x32xf16, #shared, #smem, mutable, 16x32> -> tensor<8x32xf16, #blocked>
    %f = scf.if %c -> (!buffer) {
      scf.yield %b : !buffer
    } else {
      scf.yield %d : !buffer
    }
    // expected-remark @below {{Buffers: [0, 1024], [1024, 1024], [2048, 1024]}}
    %2 = ttg.local_load %f : !buffer -> tensor<16x32xf16, #blocked>
    %m = ttg.local_alloc {allocation.offset = 4096 : i32} : () -> !ttg.memdesc<1xi64, #line, #smem, mutable>
    // expected-remark @below {{Buffers: [4096, 8]}}
    ttng.init_barrier %m, 1 : !ttg.memdesc<1xi64, #line, #smem, mutable>
    tt.return
  }

  // expected-remark @below {{All Shared Regions: [0, 1024], [512, 512], [1024, 1024], [2048, 1024]}}
  // expected-remark @below {{All Barrier Regions: [4096, 8]}}
  tt.func private @all() attributes {test.print_all_used_regions} {
    tt.return
  }
}

// -----

#padded = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [16, 32]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // Four paddings of 8 elements precede row 8.
  // CHECK-LABEL: @padded
  tt.func public @padded() {
    %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<16x32xf16, #padded, #smem, mutable>
    %b = ttg.memdesc_subslice %a[8, 0] : !ttg.memdesc<16x32xf16, #padded, #smem, mutable> -> !ttg.memdesc<8x32xf16, #padded, #smem, mutable, 16x32>
    // expected-remark @below {{Buffers: [576, 512]}}
    %0 = ttg.local_load %b : !ttg.memdesc<8x32xf16, #padded, #smem, mutable, 16x32> -> tensor<8x32xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#half = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @columns
  tt.func public @columns() {
    %a = ttng.tmem_alloc {tensor_memory_col_offset = 128 : i32, tensor_memory_row_offset = 0 : i32} : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %b = ttng.tmem_subslice %a {N = 64 : i32} : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #half, #ttng.tensor_memory, mutable, 128x128>
    // expected-remark @below {{Buffers: [192, 64]}}
    %0 = ttng.tmem_load %b : !ttg.memdesc<128x64xf32, #half, #ttng.tensor_memory, mutable, 128x128> -> tensor<128x64xf32, #blocked>
    tt.return
  }

  // expected-remark @below {{All Tensor Regions: [192, 64]}}
  tt.func private @all() attributes {test.print_all_used_regions} {
    tt.return
  }
}
