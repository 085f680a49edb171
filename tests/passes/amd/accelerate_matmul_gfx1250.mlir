// RUN: weft opt %s -p 'tritonamdgpu-accelerate-matmul{arch-generation-name=gfx1250 kPack=1 matrix-instruction-size=0}' --split-input-file | filecheck %s

// Operands of 4 bits are laid out as those of an instruction of half the depth.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = {{\[\[}}0, 1], [1, 0]]}, instrShape = [16, 16, 128]}>
// CHECK: #[[H:mma[0-9]*]] = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = {{\[\[}}0, 1], [1, 0]]}, instrShape = [16, 16, 64]}>
// CHECK-LABEL: @scaled
// CHECK: tt.dot_scaled {{.*}} : tensor<64x128xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #[[M]], kWidth = 16}>>, {{.*}} * tensor<64x64xi8, #ttg.dot_op<{opIdx = 1, parent = #[[H]], kWidth = 16}>>,
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scaled(%a: tensor<64x128xf8E4M3FN, #blocked>, %b: tensor<64x64xi8, #blocked>, %c: tensor<64x64xf32, #blocked>, %p: tensor<64x4x!tt.ptr<i8>, #blocked>, %q: tensor<64x4x!tt.ptr<i8>, #blocked>) -> tensor<64x64xf32, #blocked> {
    %s = tt.load %p : tensor<64x4x!tt.ptr<i8>, #blocked>
    %t = tt.load %q : tensor<64x4x!tt.ptr<i8>, #blocked>
    %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<64x128xf8E4M3FN, #blocked>, tensor<64x4xi8, #blocked> * tensor<64x64xi8, #blocked>, tensor<64x4xi8, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// The instruction always has both scales.
// CHECK-LABEL: @no_scales
// CHECK: arith.constant dense<127> : tensor<64x4xi8
// CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @no_scales(%a: tensor<64x128xf8E4M3FN, #blocked>, %b: tensor<128x64xf8E5M2, #blocked>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<64x128xf8E4M3FN, #blocked> * tensor<128x64xf8E5M2, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// The conversion with scale takes the scale's byte as it is.
// CHECK-LABEL: @beside_bf16
// CHECK: amdg.scaled_upcast_fp8 %arg0 scale %{{.*}} : tensor<64x128xf8E4M3FN, #blocked>, tensor<64x128xi8, #blocked> -> tensor<64x128xbf16, #blocked>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @beside_bf16(%a: tensor<64x128xf8E4M3FN, #blocked>, %b: tensor<128x64xbf16, #blocked>, %c: tensor<64x64xf32, #blocked>, %p: tensor<64x4x!tt.ptr<i8>, #blocked>) -> tensor<64x64xf32, #blocked> {
    %s = tt.load %p : tensor<64x4x!tt.ptr<i8>, #blocked>
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16 {fastMath = true} : tensor<64x128xf8E4M3FN, #blocked>, tensor<64x4xi8, #blocked> * tensor<128x64xbf16, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// A lane holds groups of 8 contiguous elements along K.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = {{\[\[}}0, 1], [1, 0]]}, instrShape = [16, 16, 32]}>
// CHECK-LABEL: @product
// CHECK: tt.dot {{.*}} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[M]], kWidth = 8}>>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @product(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// No vector unit takes pairs: f16 is converted to f32.
// CHECK-LABEL: @few_rows
// CHECK-NEXT: tt.fp_to_fp %arg0
// CHECK-NEXT: tt.fp_to_fp %arg1
// CHECK-NEXT: tt.dot
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @few_rows(%a: tensor<8x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<8x64xf32, #blocked>) -> tensor<8x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<8x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<8x64xf32, #blocked>
    tt.return %d : tensor<8x64xf32, #blocked>
  }
}
