// RUN: weft opt %s -p allocate-shared-memory-nv{compute-capability=90} --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>

// stmatrix and ldmatrix leave the rows that both layouts have in registers to repetitions.
// CHECK: ttg.shared = 4096 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @from_mma
  tt.func public @from_mma(%x: tensor<128x128xf16, #mma>) {
    // CHECK: ttg.convert_layout %arg0 {allocation.offset = 0 : i32}
    %0 = ttg.convert_layout %x : tensor<128x128xf16, #mma> -> tensor<128x128xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#transposed = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>

// Registers that both layouts have in common, and no access moves together, are repetitions.
// CHECK: ttg.shared = 65536 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @transposed
  tt.func public @transposed(%x: tensor<256x256xf32, #blocked>) {
    // CHECK: ttg.convert_layout %arg0 {allocation.offset = 0 : i32}
    %0 = ttg.convert_layout %x : tensor<256x256xf32, #blocked> -> tensor<256x256xf32, #transposed>
    tt.return
  }
}
