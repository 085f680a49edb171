// RUN: weft opt %s -p 'tritonamdgpu-accelerate-matmul{arch-generation-name=gfx1100 kPack=1 matrix-instruction-size=0}' --split-input-file | filecheck %s

// Halves of a wave hold the same operands: 16 elements side by side in each lane.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_wmma<{version = 1, isTranspose = true, ctaLayout = {warp = {{\[\[}}1, 0]]}}>
// CHECK-LABEL: @product
// CHECK: tt.dot {{.*}} : tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #[[M]], kWidth = 16}>>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx1100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @product(%a: tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x16xf32, #blocked>) -> tensor<64x16xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x16xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<16x16xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x16xf32, #blocked>
    tt.return %d : tensor<64x16xf32, #blocked>
  }
}

// -----

// 8-bit floats are converted to the nearest type that an instruction takes.
// CHECK-LABEL: @small_floats
// CHECK: tt.fp_to_fp {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>>
// CHECK: tt.dot
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @small_floats(%a: tensor<64x64xf8E5M2, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x64xf8E5M2, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// f32 has no instruction.
// CHECK-LABEL: @floats
// CHECK-NEXT: tt.dot %arg0, %arg1, %arg2
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @floats(%a: tensor<64x64xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf32, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x64xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf32, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// Scales are spelled out: shifted to an exponent, broadcast, multiplied, NaN where they are NaN. In f16
// they pass through f32.
// CHECK-LABEL: @scaled
// CHECK: ttg.fp4_to_fp %arg1 {axis = 0 : i32}
// CHECK: tt.trans
// CHECK: arith.extui {{.*}} to tensor<2x64xi32
// CHECK: arith.shli
// CHECK: tt.bitcast {{.*}} -> tensor<2x64xf32
// CHECK: arith.truncf
// CHECK: tt.expand_dims
// CHECK: tt.broadcast
// CHECK: tt.reshape
// CHECK: arith.mulf
// CHECK: arith.cmpi eq
// CHECK: arith.select
// CHECK: tt.dot
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scaled(%a: tensor<64x64xf16, #blocked>, %b: tensor<32x64xi8, #blocked>, %c: tensor<64x64xf32, #blocked>, %q: tensor<64x2x!tt.ptr<i8>, #blocked>) -> tensor<64x64xf32, #blocked> {
    %t = tt.load %q : tensor<64x2x!tt.ptr<i8>, #blocked>
    %d = tt.dot_scaled %a, %b scale %t, %c lhs = fp16 rhs = e2m1 {fastMath = false} : tensor<64x64xf16, #blocked> * tensor<32x64xi8, #blocked>, tensor<64x2xi8, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}
