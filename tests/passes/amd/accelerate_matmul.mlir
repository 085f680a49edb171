// RUN: weft opt %s -p 'tritonamdgpu-accelerate-matmul{arch-generation-name=gfx942 kPack=1 matrix-instruction-size=0}' --split-input-file | filecheck %s

// The largest tile that fits. Operands and accumulator are converted to its layout, the result back.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK-LABEL: @product
// CHECK: %[[C:.*]] = ttg.convert_layout %arg2 : tensor<128x64xf32, #blocked> -> tensor<128x64xf32, #[[M]]>
// CHECK-NEXT: %[[A:.*]] = ttg.convert_layout %arg0 : {{.*}} -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[M]], kWidth = 4}>>
// CHECK-NEXT: %[[B:.*]] = ttg.convert_layout %arg1 : {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #[[M]], kWidth = 4}>>
// CHECK-NEXT: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[C]]
// CHECK-NEXT: ttg.convert_layout %[[D]] : tensor<128x64xf32, #[[M]]> -> tensor<128x64xf32, #blocked>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @product(%a: tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<128x64xf32, #blocked>) -> tensor<128x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<128x64xf32, #blocked>
    tt.return %d : tensor<128x64xf32, #blocked>
  }
}

// -----

// Few rows: a tile of 4x64. Its left operand is broadcast, so the result is not transposed.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [4, 64, 64], isTransposed = false}>
// CHECK-LABEL: @few_rows
// CHECK: tt.dot {{.*}} -> tensor<8x64xf32, #[[M]]>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @few_rows(%a: tensor<8x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<8x64xf32, #blocked>) -> tensor<8x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<8x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<8x64xf32, #blocked>
    tt.return %d : tensor<8x64xf32, #blocked>
  }
}

// -----

// K = 4 is no multiple of any instruction's k: the vector unit takes pairs of f16.
// CHECK-LABEL: @shallow
// CHECK-NEXT: %[[D:.*]] = tt.dot %arg0, %arg1, %arg2
// CHECK-NEXT: tt.return %[[D]]
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @shallow(%a: tensor<64x4xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<4x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x4xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<4x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// Of bf16 it takes no pairs: operands are converted to f32.
// CHECK-LABEL: @shallow_bf16
// CHECK-NEXT: %[[A:.*]] = tt.fp_to_fp %arg0 : {{.*}} -> tensor<64x4xf32,
// CHECK-NEXT: %[[B:.*]] = tt.fp_to_fp %arg1
// CHECK-NEXT: tt.dot %[[A]], %[[B]], %arg2
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @shallow_bf16(%a: tensor<64x4xbf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<4x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x4xbf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<4x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// A single element of K makes no pair.
// CHECK-LABEL: @outer
// CHECK-NEXT: tt.fp_to_fp %arg0 : {{.*}} -> tensor<8x1xf32,
// CHECK-NEXT: tt.fp_to_fp %arg1
// CHECK-NEXT: tt.dot
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @outer(%a: tensor<8x1xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<1x8xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<8x8xf32, #blocked>) -> tensor<8x8xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<8x1xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<1x8xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<8x8xf32, #blocked>
    tt.return %d : tensor<8x8xf32, #blocked>
  }
}

// -----

// tf32 is read as xf32, eight deep.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 8], isTransposed = true}>
// CHECK-LABEL: @low_precision
// CHECK: tt.dot {{.*}}, inputPrecision = tf32 : tensor<32x16xf32, #ttg.dot_op<{opIdx = 0, parent = #[[M]], kWidth = 2}>>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @low_precision(%a: tensor<32x16xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<16x16xf32, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<32x16xf32, #blocked>) -> tensor<32x16xf32, #blocked> {
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<32x16xf32, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<16x16xf32, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<32x16xf32, #blocked>
    tt.return %d : tensor<32x16xf32, #blocked>
  }
}

// -----

// Doubles have 16x16 tiles alone, and results of 64 bits.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 4], isTransposed = true, elementBitWidth = 64}>
// CHECK-LABEL: @double
// CHECK: tt.dot {{.*}} -> tensor<64x64xf64, #[[M]]>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @double(%a: tensor<64x16xf64, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<16x64xf64, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf64, #blocked>) -> tensor<64x64xf64, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x16xf64, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<16x64xf64, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf64, #blocked>
    tt.return %d : tensor<64x64xf64, #blocked>
  }
}

// -----

// The 8-bit floats of gfx950 are done in f16 here, those of this chip are not.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = true}>
// CHECK-LABEL: @open_float
// CHECK: tt.fp_to_fp {{.*}} -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[M]], kWidth = 4}>>
// CHECK: tt.fp_to_fp
// CHECK: tt.dot
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @open_float(%a: tensor<16x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x16xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<16x16xf32, #blocked>) -> tensor<16x16xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<16x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x16xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<16x16xf32, #blocked>
    tt.return %d : tensor<16x16xf32, #blocked>
  }
}

// -----

// An element type of the instruction needs no conversion.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 32], isTransposed = true}>
// CHECK-LABEL: @own_float
// CHECK-NOT: tt.fp_to_fp
// CHECK: tt.dot {{.*}}tensor<16x64xf8E4M3FNUZ, #ttg.dot_op<{opIdx = 0, parent = #[[M]], kWidth = 8}>>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @own_float(%a: tensor<16x64xf8E4M3FNUZ, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x16xf8E5M2FNUZ, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<16x16xf32, #blocked>) -> tensor<16x16xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<16x64xf8E4M3FNUZ, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x16xf8E5M2FNUZ, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<16x16xf32, #blocked>
    tt.return %d : tensor<16x16xf32, #blocked>
  }
}

// -----

// Warps share the batch.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1, 1], instrShape = [32, 32, 16], isTransposed = true}>
// CHECK-LABEL: @batched
// CHECK: tt.dot {{.*}} -> tensor<8x32x32xi32, #[[M]]>
#blocked = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 4, 16], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @batched(%a: tensor<8x32x32xi8, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<8x32x32xi8, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<8x32x32xi32, #blocked>) -> tensor<8x32x32xi32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<8x32x32xi8, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<8x32x32xi8, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<8x32x32xi32, #blocked>
    tt.return %d : tensor<8x32x32xi32, #blocked>
  }
}

// -----

// A result in f16 is added up in f32.
// CHECK-LABEL: @half_result
// CHECK: arith.extf {{.*}} to tensor<64x64xf32, #mma>
// CHECK: tt.dot
// CHECK: arith.truncf {{.*}} : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @half_result(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf16, #blocked>) -> tensor<64x64xf16, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf16, #blocked>
    tt.return %d : tensor<64x64xf16, #blocked>
  }
}

// -----

// The first product of a chain keeps whole rows in a warp, and so does the second.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK: #[[T:mma[0-9]*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK-LABEL: @attention
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[M]]>
// CHECK: math.exp2
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[T]]>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @attention(%q: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %k: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %v: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %s = tt.dot %q, %k, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    %e = math.exp2 %s : tensor<64x64xf32, #blocked>
    %h = arith.truncf %e : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>
    %o = tt.dot %p, %v, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %o : tensor<64x64xf32, #blocked>
  }
}

// -----

// A dot that has the layout of an instruction already, with operands of two types.
// CHECK-LABEL: @laid_out
// CHECK-NEXT: %[[A:.*]] = tt.fp_to_fp %arg0 : {{.*}} -> tensor<64x64xf32, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
// CHECK-NEXT: %[[B:.*]] = tt.fp_to_fp %arg1
// CHECK-NEXT: tt.dot %[[A]], %[[B]], %arg2
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @laid_out(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>, %b: tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    %d = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>> * tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }
}

// -----

// One operand with scales: converted with them in registers, all warps along its side.
// CHECK: #[[S:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 4], instrShape = [32, 32, 8], isTransposed = true}>
// CHECK-LABEL: @scaled
// CHECK: %[[A:.*]] = ttg.convert_layout %arg0 {{.*}} kWidth = 8}>>
// CHECK: %[[B:.*]] = ttg.convert_layout %arg1 {{.*}} kWidth = 4}>>
// CHECK: %[[T:.*]] = ttg.convert_layout %{{.*}} -> tensor<64x2xi8, #[[S]]>
// CHECK-NEXT: %[[U:.*]] = amdg.upcast_mxfp %[[B]], %[[T]] fp_type = e2m1 {fastMath = false} : {{.*}} -> tensor<64x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #[[M]], kWidth = 8}>>
// CHECK-NEXT: tt.dot %[[A]], %[[U]]
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @scaled(%a: tensor<64x64xbf16, #blocked>, %b: tensor<32x64xi8, #blocked>, %c: tensor<64x64xf32, #blocked>, %q: tensor<64x2x!tt.ptr<i8>, #blocked>) -> tensor<64x64xf32, #blocked> {
    %t = tt.load %q : tensor<64x2x!tt.ptr<i8>, #blocked>
    %d = tt.dot_scaled %a, %b scale %t, %c lhs = bf16 rhs = e2m1 {fastMath = false} : tensor<64x64xbf16, #blocked> * tensor<32x64xi8, #blocked>, tensor<64x2xi8, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// Both with scales: no MFMA of this chip scales, so the operands are scaled in bf16.
// CHECK-LABEL: @scaled_twice
// CHECK: arith.mulf {{.*}} : tensor<64x64xbf16
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #mma{{[0-9]*}}>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @scaled_twice(%a: tensor<64x64xf8E4M3FN, #blocked>, %b: tensor<64x64xf8E4M3FN, #blocked>, %c: tensor<64x64xf32, #blocked>, %p: tensor<64x2x!tt.ptr<i8>, #blocked>, %q: tensor<64x2x!tt.ptr<i8>, #blocked>) -> tensor<64x64xf32, #blocked> {
    %s = tt.load %p : tensor<64x2x!tt.ptr<i8>, #blocked>
    %t = tt.load %q : tensor<64x2x!tt.ptr<i8>, #blocked>
    %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<64x64xf8E4M3FN, #blocked>, tensor<64x2xi8, #blocked> * tensor<64x64xf8E4M3FN, #blocked>, tensor<64x2xi8, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}
