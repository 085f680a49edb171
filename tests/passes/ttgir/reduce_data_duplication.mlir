// RUN: weft opt %s -p tritongpu-reduce-data-duplication --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// Rows of 64 f16 fill the banks: eight rows that ldmatrix reads together have eight phases.
// CHECK: #[[A:.*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
// CHECK-LABEL: @operands
// CHECK-NEXT: %[[BUFFER:.*]] = ttg.local_alloc %arg0 : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #[[A]], #smem>
// CHECK-NEXT: ttg.local_load %[[BUFFER]]
// CHECK: ttg.local_alloc %arg1
// CHECK-NEXT: ttg.local_load
tt.func public @operands(%x: tensor<128x64xf16, #blocked>, %y: tensor<64x128xf16, #column>) -> (tensor<128x64xf16, #a>, tensor<64x128xf16, #b>) {
  %0 = ttg.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
  %1 = ttg.convert_layout %y : tensor<64x128xf16, #column> -> tensor<64x128xf16, #b>
  tt.return %0, %1 : tensor<128x64xf16, #a>, tensor<64x128xf16, #b>
}

// A result of the same instruction is already where the operand wants it: registers move.
// CHECK-LABEL: @registers
// CHECK-NEXT: ttg.convert_layout
tt.func public @registers(%x: tensor<128x16xf16, #mma>) -> tensor<128x16xf16, #a> {
  %0 = ttg.convert_layout %x : tensor<128x16xf16, #mma> -> tensor<128x16xf16, #a>
  tt.return %0 : tensor<128x16xf16, #a>
}

// Conversions to other layouts than dot operands stay.
// CHECK-LABEL: @other
// CHECK-NEXT: ttg.convert_layout
tt.func public @other(%x: tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #column> {
  %0 = ttg.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #column>
  tt.return %0 : tensor<128x64xf16, #column>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mfma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mfma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// Along K the rows are exchanged, across it they need not be.
// CHECK-DAG: #[[A:.*]] = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
// CHECK-DAG: #[[B:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-LABEL: @matrix_cores
// CHECK-NEXT: ttg.local_alloc %arg0 {{.*}} #[[A]],
// CHECK: ttg.local_alloc %arg1 {{.*}} #[[B]],
tt.func public @matrix_cores(%x: tensor<128x64xf16, #blocked>, %y: tensor<64x128xf16, #blocked>) -> (tensor<128x64xf16, #a>, tensor<64x128xf16, #b>) {
  %0 = ttg.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
  %1 = ttg.convert_layout %y : tensor<64x128xf16, #blocked> -> tensor<64x128xf16, #b>
  tt.return %0, %1 : tensor<128x64xf16, #a>, tensor<64x128xf16, #b>
}

// CHECK-LABEL: @large
// CHECK: ttg.local_alloc
tt.func public @large(%x: tensor<1024x256xf32, #blocked>) -> tensor<1024x256xf32, #a> {
  %0 = ttg.convert_layout %x : tensor<1024x256xf32, #blocked> -> tensor<1024x256xf32, #a>
  tt.return %0 : tensor<1024x256xf32, #a>
}
}

// -----

#rows = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 1, 64], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#dot = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [16, 1, 4], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#batch = #ttg.dot_op<{opIdx = 0, parent = #dot}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// A dimension along which neither registers nor lanes step is the last one in memory.
// CHECK: order = [2, 0, 1]
// CHECK-LABEL: @one_row
tt.func public @one_row(%x: tensor<64x1x64xf16, #rows>) -> tensor<64x1x64xf16, #batch> {
  %0 = ttg.convert_layout %x : tensor<64x1x64xf16, #rows> -> tensor<64x1x64xf16, #batch>
  tt.return %0 : tensor<64x1x64xf16, #batch>
}
}

// -----

// CHECK: #[[SMALL:.*]] = #ttg.swizzled_shared<{vec = 32, perPhase = 64, maxPhase = 1, order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#small = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// The registers that hold one element eight times count for rows, so rows stay slower.
// CHECK-LABEL: @one_column
// CHECK: ttg.local_alloc %arg0 : (tensor<32x1xf16, {{.*}}>) -> !ttg.memdesc<32x1xf16, #[[SMALL]], #smem>
tt.func public @one_column(%x: tensor<32x1xf16, #wide>) -> tensor<32x1xf16, #small> {
  %0 = ttg.convert_layout %x : tensor<32x1xf16, #wide> -> tensor<32x1xf16, #small>
  tt.return %0 : tensor<32x1xf16, #small>
}
}
