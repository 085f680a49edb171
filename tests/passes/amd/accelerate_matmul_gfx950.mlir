// RUN: weft opt %s -p 'tritonamdgpu-accelerate-matmul{arch-generation-name=gfx950 kPack=1 matrix-instruction-size=0}' --split-input-file | filecheck %s

// Scales go into the instruction, in the layout that its lanes read them in.
// CHECK: #[[S:linear]] = #ttg.linear<
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 64], isTransposed = true}>
// CHECK-LABEL: @scaled
// CHECK: tt.dot_scaled {{.*}} lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<64x128xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #[[M]], kWidth = 16}>>, tensor<64x4xi8, #linear> * tensor<64x64xi8, #ttg.dot_op<{opIdx = 1, parent = #[[M]], kWidth = 16}>>, tensor<64x4xi8, #linear1>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @scaled(%a: tensor<64x128xf8E4M3FN, #blocked>, %b: tensor<64x64xi8, #blocked>, %c: tensor<64x64xf32, #blocked>, %p: tensor<64x4x!tt.ptr<i8>, #blocked>, %q: tensor<64x4x!tt.ptr<i8>, #blocked>) -> tensor<64x64xf32, #blocked> {
    %s = tt.load %p : tensor<64x4x!tt.ptr<i8>, #blocked>
    %t = tt.load %q : tensor<64x4x!tt.ptr<i8>, #blocked>
    %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e4m3 rhs = e2m1 {fastMath = false} : tensor<64x128xf8E4M3FN, #blocked>, tensor<64x4xi8, #blocked> * tensor<64x64xi8, #blocked>, tensor<64x4xi8, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// A missing scale is a constant of ones.
// CHECK-LABEL: @one_scale
// CHECK: %[[ONE:.*]] = arith.constant dense<127> : tensor<64x4xi8, #linear
// CHECK: tt.dot_scaled {{.*}} scale %[[ONE]],
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @one_scale(%a: tensor<64x128xf8E4M3FN, #blocked>, %b: tensor<128x64xf8E5M2, #blocked>, %c: tensor<64x64xf32, #blocked>, %p: tensor<64x4x!tt.ptr<i8>, #blocked>) -> tensor<64x64xf32, #blocked> {
    %s = tt.load %p : tensor<64x4x!tt.ptr<i8>, #blocked>
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<64x128xf8E4M3FN, #blocked>, tensor<64x4xi8, #blocked> * tensor<128x64xf8E5M2, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// With bf16 beside it, it is converted with its scale in one instruction.
// CHECK-LABEL: @beside_bf16
// CHECK-DAG: %[[N:.*]] = arith.constant dense<0x7FC0>
// CHECK-DAG: %[[F:.*]] = arith.constant dense<-1> : tensor<64x4xi8
// CHECK-DAG: %[[S:.*]] = arith.constant dense<7> : tensor<64x4xi16
// CHECK: tt.load %{{.*}}
// CHECK-NEXT: %[[G:.*]] = arith.extui
// CHECK-NEXT: arith.shli %[[G]], %[[S]]
// CHECK: tt.bitcast
// CHECK: tt.broadcast
// CHECK: %[[U:.*]] = amdg.scaled_upcast_fp8 %arg0 scale %{{.*}} -> tensor<64x128xbf16, #blocked>
// CHECK: arith.cmpi eq, %{{.*}}, %[[F]]
// CHECK: arith.select %{{.*}}, %[[N]], %[[U]]
// CHECK: tt.dot
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @beside_bf16(%a: tensor<64x128xf8E4M3FN, #blocked>, %b: tensor<128x64xbf16, #blocked>, %c: tensor<64x64xf32, #blocked>, %p: tensor<64x4x!tt.ptr<i8>, #blocked>) -> tensor<64x64xf32, #blocked> {
    %s = tt.load %p : tensor<64x4x!tt.ptr<i8>, #blocked>
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<64x128xf8E4M3FN, #blocked>, tensor<64x4xi8, #blocked> * tensor<128x64xbf16, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// Small floats without scales take the scaled instruction, too: it is twice as fast.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 64], isTransposed = true}>
// CHECK-LABEL: @small_floats
// CHECK: tt.dot_scaled {{.*}} lhs = e4m3 rhs = e5m2 {fastMath = false}
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @small_floats(%a: tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x64xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// … if K is deep enough.
// CHECK: #[[M:mma[0-9]*]] = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>
// CHECK-LABEL: @small_floats
// CHECK: tt.dot %
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @small_floats(%a: tensor<64x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<32x64xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x32xf8E4M3FN, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<32x64xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// Pairs that share a byte along M come through shared memory, along K.
// CHECK: #[[B:shared]] = #ttg.swizzled_shared<{vec = 16, perPhase = 8, maxPhase = 2, order = [0, 1]}>
// CHECK-LABEL: @pairs_along_m
// CHECK: %[[L:.*]] = ttg.local_alloc %arg0 : (tensor<32x128xi8, #blocked>) -> !ttg.memdesc<32x128xi8, #[[B]], #smem>
// CHECK-NEXT: %[[A:.*]] = amdg.local_load_packed_tranposed %[[L]] : {{.*}} -> tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>>
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @pairs_along_m(%a: tensor<32x128xi8, #blocked>, %b: tensor<64x64xi8, #blocked>, %c: tensor<64x64xf32, #blocked>, %p: tensor<64x4x!tt.ptr<i8>, #blocked>, %q: tensor<64x4x!tt.ptr<i8>, #blocked>) -> tensor<64x64xf32, #blocked> {
    %s = tt.load %p : tensor<64x4x!tt.ptr<i8>, #blocked>
    %t = tt.load %q : tensor<64x4x!tt.ptr<i8>, #blocked>
    %d = tt.dot_scaled %a scale %s, %b scale %t, %c lhs = e2m1 rhs = e2m1 {fastMath = false, lhs_k_pack = false} : tensor<32x128xi8, #blocked>, tensor<64x4xi8, #blocked> * tensor<64x64xi8, #blocked>, tensor<64x4xi8, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}

// -----

// bf16 is added up in pairs by the vector unit here.
// CHECK-LABEL: @shallow_bf16
// CHECK-NEXT: %[[D:.*]] = tt.dot %arg0, %arg1, %arg2
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @shallow_bf16(%a: tensor<64x4xbf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<4x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
    %d = tt.dot %a, %b, %c : tensor<64x4xbf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<4x64xbf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}
