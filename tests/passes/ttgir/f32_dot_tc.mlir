// RUN: weft opt %s -p tritongpu-F32DotTC{emu-tf32=true} --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// Two parts of each operand: small by large, large by small, then large by large.
// CHECK-LABEL: @tf32x3
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK-NEXT: %[[A0:.*]] = tt.elementwise_inline_asm "cvt.rna.tf32.f32 $0, $1;" {{.*}} %arg0
// CHECK-NEXT: %[[A1:.*]] = arith.subf %arg0, %[[A0]]
// CHECK-NEXT: %[[B0:.*]] = tt.elementwise_inline_asm "cvt.rna.tf32.f32 $0, $1;" {{.*}} %arg1
// CHECK-NEXT: %[[B1:.*]] = arith.subf %arg1, %[[B0]]
// CHECK-NEXT: %[[S0:.*]] = tt.dot %[[A1]], %[[B0]], %[[ZERO]], inputPrecision = tf32
// CHECK-NEXT: %[[S1:.*]] = tt.dot %[[A0]], %[[B1]], %[[S0]], inputPrecision = tf32
// CHECK-NEXT: %[[NAN:.*]] = arith.cmpf uno, %[[S1]], %[[S1]]
// CHECK-NEXT: %[[S2:.*]] = arith.select %[[NAN]], %[[ZERO]], %[[S1]]
// CHECK-NEXT: %[[S3:.*]] = tt.dot %[[A0]], %[[B0]], %[[S2]], inputPrecision = tf32
// CHECK-NEXT: %[[D:.*]] = arith.addf %[[S3]], %arg2
// CHECK-NEXT: tt.return %[[D]]
tt.func public @tf32x3(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %0 = tt.dot %x, %y, %c, inputPrecision = tf32x3 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %0 : tensor<64x64xf32, #blocked>
}

// bf16 has the range of f32, so its parts need no scales; two of them hold 16 bits.
// CHECK-LABEL: @bf16x3
// CHECK: %[[A0:.*]] = arith.truncf %arg0
// CHECK-NEXT: %[[W:.*]] = arith.extf %[[A0]]
// CHECK-NEXT: %[[R:.*]] = arith.subf %arg0, %[[W]]
// CHECK-NEXT: %[[A1:.*]] = arith.truncf %[[R]]
// CHECK: tt.dot %[[A1]]
// CHECK: tt.dot %[[A0]]
// CHECK: arith.select
// CHECK-NEXT: tt.dot %[[A0]]
// CHECK-NOT: tt.dot
// CHECK: arith.addf
tt.func public @bf16x3(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %0 = tt.dot %x, %y, %c, inputPrecision = bf16x3 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %0 : tensor<64x64xf32, #blocked>
}

// Three parts, six products: those of the third order first.
// CHECK-LABEL: @bf16x6
// CHECK: %[[A0:.*]] = arith.truncf %arg0
// CHECK: %[[A1:.*]] = arith.truncf
// CHECK: %[[A2:.*]] = arith.truncf
// CHECK: tt.dot %[[A1]]
// CHECK-NEXT: tt.dot %[[A2]]
// CHECK-NEXT: tt.dot %[[A0]]
// CHECK-NEXT: tt.dot %[[A1]]
// CHECK-NEXT: tt.dot %[[A0]]
// CHECK-NEXT: arith.cmpf uno
// CHECK-NEXT: arith.select
// CHECK-NEXT: tt.dot %[[A0]]
tt.func public @bf16x6(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %0 = tt.dot %x, %y, %c, inputPrecision = bf16x6 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %0 : tensor<64x64xf32, #blocked>
}

// Another precision, or another type, stays.
// CHECK-LABEL: @others
// CHECK-NEXT: tt.dot %arg0, %arg1, %arg2, inputPrecision = tf32 :
// CHECK-NEXT: tt.dot %arg3, %arg4, %0, inputPrecision = bf16x3 :
// CHECK-NEXT: tt.return
tt.func public @others(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>, %u: tensor<64x32xf16, #a>, %v: tensor<32x64xf16, #b>) -> tensor<64x64xf32, #blocked> {
  %0 = tt.dot %x, %y, %c, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  %1 = tt.dot %u, %v, %0, inputPrecision = bf16x3 : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %1 : tensor<64x64xf32, #blocked>
}
}
