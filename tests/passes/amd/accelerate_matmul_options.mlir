// RUN: weft opt %s -p 'tritonamdgpu-accelerate-matmul{arch-generation-name=gfx90a kPack=2 matrix-instruction-size=16}' --split-input-file | filecheck %s

// The options set the tile, and kWidth for two instructions.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 2, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
// CHECK-LABEL: @product
// CHECK: tt.dot {{.*}} : tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #[[M]], kWidth = 8}>>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx90a", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @product(%a: tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// K = 8 is too little for 16x16x16: its smaller sister.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 2, warpsPerCTA = [2, 2], instrShape = [16, 16, 8], isTransposed = true}>
// CHECK-LABEL: @shallow
// CHECK: tt.dot {{.*}} kWidth = 4}>>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx90a", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @shallow(%a: tensor<64x8xbf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<8x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x8xbf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<8x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}
