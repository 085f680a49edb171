// RUN: weft opt %s -p tritongpu-optimize-dot-operands{hoist-layout-conversion=true} | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#scalars = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [2, 2], order = [1, 0]}>
#scalar_columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [2, 2], order = [0, 1]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#mma3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#a2 = #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>
#b2 = #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#rows32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#columns32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>
#cube = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 4, 8], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>
#flat = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-DAG: #[[ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
// CHECK-DAG: #[[COLUMNS32:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 32}>

// wgmma reads a transposed view of the buffer.
// CHECK-LABEL: @wgmma
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %arg1 : {{.*}} !ttg.memdesc<64x64xf16, #[[ROWS]], #smem>
// CHECK-NEXT: %[[T:.*]] = ttg.memdesc_trans %[[M]] {{.*}} !ttg.memdesc<64x64xf16, #[[COLUMNS]], #smem>
// CHECK-NEXT: ttng.warp_group_dot %arg0, %[[T]]
tt.func public @wgmma(%a: !ttg.memdesc<64x64xf16, #rows, #smem>, %x: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma3>) -> tensor<64x64xf32, #mma3> {
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #column>
  %b = ttg.local_alloc %t : (tensor<64x64xf16, #column>) -> !ttg.memdesc<64x64xf16, #columns, #smem>
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #columns, #smem> -> tensor<64x64xf32, #mma3>
  tt.return %d : tensor<64x64xf32, #mma3>
}

// f32 must have K as its fast dimension, whichever way it was loaded.
// CHECK-LABEL: @tf32
// CHECK-NEXT: ttg.local_alloc %arg0 : {{.*}} !ttg.memdesc<32x64xf32, #[[COLUMNS32]], #smem>
// CHECK-NEXT: ttg.memdesc_trans
tt.func public @tf32(%x: tensor<32x64xf32, #blocked>, %b: !ttg.memdesc<32x64xf32, #columns32, #smem>, %c: tensor<64x64xf32, #mma3>) -> tensor<64x64xf32, #mma3> {
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x64xf32, #blocked> -> tensor<64x32xf32, #column>
  %a = ttg.local_alloc %t : (tensor<64x32xf32, #column>) -> !ttg.memdesc<64x32xf32, #rows32, #smem>
  %d = ttng.warp_group_dot %a, %b, %c {inputPrecision = 0 : i32} : !ttg.memdesc<64x32xf32, #rows32, #smem> * !ttg.memdesc<32x64xf32, #columns32, #smem> -> tensor<64x64xf32, #mma3>
  tt.return %d : tensor<64x64xf32, #mma3>
}

// The view has the encoding of the allocation, whichever dimension the tensor's registers hold.
// CHECK-LABEL: @one_value_per_thread
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %arg0 : {{.*}} !ttg.memdesc<64x64xf16, #[[ROWS]], #smem>
// CHECK-NEXT: ttg.memdesc_trans %[[M]] {{.*}} !ttg.memdesc<64x64xf16, #[[COLUMNS]], #smem>
tt.func public @one_value_per_thread(%x: tensor<64x64xf16, #scalars>, %b: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma3>) -> tensor<64x64xf32, #mma3> {
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf16, #scalars> -> tensor<64x64xf16, #scalar_columns>
  %a = ttg.local_alloc %t : (tensor<64x64xf16, #scalar_columns>) -> !ttg.memdesc<64x64xf16, #columns, #smem>
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #columns, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma3>
  tt.return %d : tensor<64x64xf32, #mma3>
}

// CHECK-LABEL: @rows_of_transposed
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %arg0 : {{.*}} !ttg.memdesc<64x64xf16, #[[COLUMNS]], #smem>
// CHECK-NEXT: ttg.memdesc_trans %[[M]] {{.*}} !ttg.memdesc<64x64xf16, #[[ROWS]], #smem>
tt.func public @rows_of_transposed(%x: tensor<64x64xf16, #blocked>, %b: !ttg.memdesc<64x64xf16, #rows, #smem>, %c: tensor<64x64xf32, #mma3>) -> tensor<64x64xf32, #mma3> {
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #column>
  %a = ttg.local_alloc %t : (tensor<64x64xf16, #column>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #rows, #smem> -> tensor<64x64xf32, #mma3>
  tt.return %d : tensor<64x64xf32, #mma3>
}

// A buffer that two dots read stays.
// CHECK-LABEL: @shared_by_two
// CHECK-NEXT: tt.trans
tt.func public @shared_by_two(%a: !ttg.memdesc<64x64xf16, #rows, #smem>, %x: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma3>) -> tensor<64x64xf32, #mma3> {
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #column>
  %b = ttg.local_alloc %t : (tensor<64x64xf16, #column>) -> !ttg.memdesc<64x64xf16, #columns, #smem>
  %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #columns, #smem> -> tensor<64x64xf32, #mma3>
  %e = ttng.warp_group_dot %a, %b, %d : !ttg.memdesc<64x64xf16, #rows, #smem> * !ttg.memdesc<64x64xf16, #columns, #smem> -> tensor<64x64xf32, #mma3>
  tt.return %e : tensor<64x64xf32, #mma3>
}

// A reshape is a view where nvmma keeps its inner dimension.
// CHECK-LABEL: @reshape
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %arg0 : {{.*}} !ttg.memdesc<8x8x64xf16, #{{.*}}, #smem>
// CHECK-NEXT: ttg.memdesc_reshape %[[M]] : {{.*}} -> !ttg.memdesc<64x64xf16, #[[ROWS]], #smem>
tt.func public @reshape(%x: tensor<8x8x64xf16, #cube>) -> !ttg.memdesc<64x64xf16, #rows, #smem> {
  %r = tt.reshape %x : tensor<8x8x64xf16, #cube> -> tensor<64x64xf16, #flat>
  %b = ttg.local_alloc %r : (tensor<64x64xf16, #flat>) -> !ttg.memdesc<64x64xf16, #rows, #smem>
  tt.return %b : !ttg.memdesc<64x64xf16, #rows, #smem>
}

// An operand of mma.sync is read transposed from a buffer, if the dot alone reads it.
// CHECK-LABEL: @mma
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %arg0
// CHECK-NEXT: %[[T:.*]] = ttg.memdesc_trans %[[M]]
// CHECK-NEXT: %[[A:.*]] = ttg.local_load %[[T]]
// CHECK-NEXT: tt.dot %[[A]]
tt.func public @mma(%x: tensor<64x64xf16, #blocked>, %b: tensor<64x64xf16, #b2>, %c: tensor<64x64xf32, #mma2>) -> tensor<64x64xf32, #mma2> {
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #column>
  %a = ttg.convert_layout %t : tensor<64x64xf16, #column> -> tensor<64x64xf16, #a2>
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #a2> * tensor<64x64xf16, #b2> -> tensor<64x64xf32, #mma2>
  tt.return %d : tensor<64x64xf32, #mma2>
}

// CHECK-LABEL: @mma_of_sum
// CHECK-NEXT: tt.trans
// CHECK-NEXT: ttg.convert_layout
tt.func public @mma_of_sum(%x: tensor<64x64xf16, #blocked>, %b: tensor<64x64xf16, #b2>, %c: tensor<64x64xf32, #mma2>) -> tensor<64x64xf32, #mma2> {
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #column>
  %s = ttg.convert_layout %t : tensor<64x64xf16, #column> -> tensor<64x64xf16, #a2>
  %a = arith.addf %s, %s : tensor<64x64xf16, #a2>
  %d = tt.dot %a, %b, %c : tensor<64x64xf16, #a2> * tensor<64x64xf16, #b2> -> tensor<64x64xf32, #mma2>
  tt.return %d : tensor<64x64xf32, #mma2>
}
}
