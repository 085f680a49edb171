// RUN: weft opt %s -p tritongpu-accelerate-matmul --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#batch = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 4, 8], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// The shares of four warps of 64x64 are as square as can be; a lane holds two f16 of a row.
// CHECK-DAG: #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
// CHECK-DAG: #[[CHAIN:mma[0-9]+]] = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// CHECK-LABEL: @f16
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %arg2 : {{.*}} -> tensor<64x64xf32, #[[MMA]]>
// CHECK-NEXT: %[[A:.*]] = ttg.convert_layout %arg0 : {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>>
// CHECK-NEXT: %[[B:.*]] = ttg.convert_layout %arg1 : {{.*}} -> tensor<32x64xf16, #ttg.dot_op<{opIdx = 1, parent = #[[MMA]], kWidth = 2}>>
// CHECK-NEXT: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[C]]
// CHECK-NEXT: ttg.convert_layout %[[D]] : {{.*}} -> tensor<64x64xf32, #blocked>
tt.func public @f16(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// fp8 is widened: the machine multiplies none. The layout is that of the narrow type.
// CHECK-LABEL: @fp8
// CHECK: tt.fp_to_fp {{.*}} kWidth = 4
// CHECK: tt.fp_to_fp {{.*}} kWidth = 4
// CHECK-NEXT: tt.dot {{.*}} tensor<64x32xf16
tt.func public @fp8(%x: tensor<64x32xf8E5M2, #a>, %y: tensor<32x64xf8E5M2, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xf8E5M2, #a> * tensor<32x64xf8E5M2, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// f32 is read as tf32 only where the kernel allows it.
// CHECK-LABEL: @tf32
// CHECK: tt.dot {{.*}} kWidth = 1
tt.func public @tf32(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// CHECK-LABEL: @ieee
// CHECK-NEXT: tt.dot %arg0, %arg1, %arg2 :
tt.func public @ieee(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// The warps of chained dots are along M; a chained dot with another rank does not count.
// CHECK-LABEL: @chained_to_batch
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[CHAIN]]>
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[CHAIN]]>
// CHECK: tt.dot {{.*}} -> tensor<4x64x64xf32
tt.func public @chained_to_batch(%x: tensor<64x64xf16, #a>, %y: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #blocked>, %e: tensor<4x64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #batch}>>, %z: tensor<4x64x64xf32, #batch>) -> (tensor<64x64xf32, #blocked>, tensor<4x64x64xf32, #batch>) {
  %0 = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
  %1 = arith.truncf %0 : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
  %2 = ttg.convert_layout %1 : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
  %3 = tt.dot %2, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
  %4 = ttg.convert_layout %3 : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #ttg.slice<{dim = 0, parent = #batch}>>
  %5 = arith.truncf %4 : tensor<64x64xf32, #ttg.slice<{dim = 0, parent = #batch}>> to tensor<64x64xf16, #ttg.slice<{dim = 0, parent = #batch}>>
  %6 = tt.expand_dims %5 {axis = 0 : i32} : tensor<64x64xf16, #ttg.slice<{dim = 0, parent = #batch}>> -> tensor<1x64x64xf16, #batch>
  %7 = tt.broadcast %6 : tensor<1x64x64xf16, #batch> -> tensor<4x64x64xf16, #batch>
  %8 = ttg.convert_layout %7 : tensor<4x64x64xf16, #batch> -> tensor<4x64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #batch}>>
  %9 = tt.dot %e, %8, %z : tensor<4x64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #batch}>> * tensor<4x64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #batch}>> -> tensor<4x64x64xf32, #batch>
  tt.return %3, %9 : tensor<64x64xf32, #blocked>, tensor<4x64x64xf32, #batch>
}

// Tensor cores of this chip multiply f64, and i8 into i32.
// CHECK-LABEL: @f64
// CHECK: tt.dot {{.*}} kWidth = 1
tt.func public @f64(%x: tensor<64x32xf64, #a>, %y: tensor<32x64xf64, #b>, %c: tensor<64x64xf64, #blocked>) -> tensor<64x64xf64, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xf64, #a> * tensor<32x64xf64, #b> -> tensor<64x64xf64, #blocked>
  tt.return %d : tensor<64x64xf64, #blocked>
}

// CHECK-LABEL: @i8
// CHECK: tt.dot {{.*}} kWidth = 4
tt.func public @i8(%x: tensor<64x32xi8, #a>, %y: tensor<32x64xi8, #b>, %c: tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xi8, #a> * tensor<32x64xi8, #b> -> tensor<64x64xi32, #blocked>
  tt.return %d : tensor<64x64xi32, #blocked>
}

// An operand that was loaded as i8 has its layout for i8: four neighbours of a row in each lane.
// CHECK-LABEL: @widened
// CHECK: tt.dot {{.*}} kWidth = 4}>> * tensor<32x64xf16, {{.*}} kWidth = 4
tt.func public @widened(%p: tensor<64x32x!tt.ptr<i8>, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %l = tt.load %p : tensor<64x32x!tt.ptr<i8>, #blocked>
  %f = arith.sitofp %l : tensor<64x32xi8, #blocked> to tensor<64x32xf16, #blocked>
  %x = ttg.convert_layout %f : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  %d = tt.dot %x, %y, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// The warps of chained dots are along M only, so that rows stay in their warp.
// CHECK-LABEL: @chained
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[CHAIN]]>
// CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[CHAIN]]>
tt.func public @chained(%x: tensor<64x64xf16, #a>, %y: tensor<64x64xf16, #b>, %z: tensor<64x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
  %h = arith.truncf %d : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
  %o = ttg.convert_layout %h : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #a>
  %e = tt.dot %o, %z, %c : tensor<64x64xf16, #a> * tensor<64x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %e : tensor<64x64xf32, #blocked>
}
}

// -----

#cube = #ttg.blocked<{sizePerThread = [1, 1, 8], threadsPerWarp = [1, 8, 4], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #cube}>
#b = #ttg.dot_op<{opIdx = 1, parent = #cube}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// wgmma takes no batches; every warp takes matrices of it.
// CHECK-DAG: #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1, 1], instrShape = [1, 16, 8]}>
// CHECK-LABEL: @batch
// CHECK: tt.dot {{.*}} #mma>
tt.func public @batch(%x: tensor<4x64x32xf16, #a>, %y: tensor<4x32x64xf16, #b>, %c: tensor<4x64x64xf32, #cube>) -> tensor<4x64x64xf32, #cube> {
  %d = tt.dot %x, %y, %c : tensor<4x64x32xf16, #a> * tensor<4x32x64xf16, #b> -> tensor<4x64x64xf32, #cube>
  tt.return %d : tensor<4x64x64xf32, #cube>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:86", "ttg.threads-per-warp" = 32 : i32} {
// No f64 on these tensor cores: threads multiply.
// CHECK-LABEL: @f64
// CHECK-NEXT: tt.dot %arg0, %arg1, %arg2 :
tt.func public @f64(%x: tensor<64x32xf64, #a>, %y: tensor<32x64xf64, #b>, %c: tensor<64x64xf64, #blocked>) -> tensor<64x64xf64, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xf64, #a> * tensor<32x64xf64, #b> -> tensor<64x64xf64, #blocked>
  tt.return %d : tensor<64x64xf64, #blocked>
}

// Threads multiply f16 as f32.
// CHECK-LABEL: @ieee_mixed
// CHECK: tt.dot {{.*}} kWidth = 2
tt.func public @ieee_mixed(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:89", "ttg.threads-per-warp" = 32 : i32} {
// These tensor cores multiply fp8.
// CHECK-LABEL: @fp8
// CHECK-NOT: tt.fp_to_fp
// CHECK: tt.dot {{.*}} tensor<64x32xf8E4M3FN
tt.func public @fp8(%x: tensor<64x32xf8E4M3FN, #a>, %y: tensor<32x64xf8E5M2, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xf8E4M3FN, #a> * tensor<32x64xf8E5M2, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// A loaded operand is stored to shared memory before its conversion; a computed A stays in registers.
// CHECK-DAG: #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
// CHECK-LABEL: @loaded
// CHECK: %[[L:.*]] = tt.load %arg0
// CHECK-NEXT: %[[M:.*]] = ttg.local_alloc %[[L]] : {{.*}} !ttg.memdesc<64x32xf16
// CHECK: ttng.warp_group_dot %[[M]]
// CHECK-SAME: -> tensor<64x64xf32, #[[MMA]]>
tt.func public @loaded(%p: tensor<64x32x!tt.ptr<f16>, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %l = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
  %x = ttg.convert_layout %l : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  %d = tt.dot %x, %y, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// CHECK-LABEL: @computed
// CHECK: %[[A:.*]] = ttg.convert_layout {{.*}} -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #{{.*}}, kWidth = 2}>>
// CHECK-NEXT: ttng.warp_group_dot %[[A]]
tt.func public @computed(%z: tensor<64x32xf16, #blocked>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %f = arith.addf %z, %z : tensor<64x32xf16, #blocked>
  %x = ttg.convert_layout %f : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  %d = tt.dot %x, %y, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// f32 must have K as its fast dimension in shared memory: B is written down transposed.
// CHECK-LABEL: @tf32
// CHECK: ttg.local_alloc {{.*}} !ttg.memdesc<32x64xf32, #[[T:.*]], #smem>
// CHECK: ttng.warp_group_dot {{.*}} {inputPrecision = 0 : i32}
tt.func public @tf32(%x: tensor<64x32xf32, #a>, %p: tensor<32x64x!tt.ptr<f32>, #blocked>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %l = tt.load %p : tensor<32x64x!tt.ptr<f32>, #blocked>
  %y = ttg.convert_layout %l : tensor<32x64xf32, #blocked> -> tensor<32x64xf32, #b>
  %d = tt.dot %x, %y, %c, inputPrecision = tf32 : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// 32 rows are no warp group's tile.
// CHECK-LABEL: @small
// CHECK: tt.dot {{.*}} kWidth = 2
tt.func public @small(%x: tensor<32x32xf16, #a>, %y: tensor<32x64xf16, #b>, %c: tensor<32x64xf32, #blocked>) -> tensor<32x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<32x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<32x64xf32, #blocked>
  tt.return %d : tensor<32x64xf32, #blocked>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// The accumulator lives in tensor memory; 64 rows leave every second 16 rows of it empty.
// CHECK-DAG: #[[ROWS:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 32]], warp = {{\[\[}}16, 0], [32, 0]], block = []}>
// CHECK-DAG: #[[TMEM:.*]] = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
// CHECK-LABEL: @tcgen05
// CHECK: %[[YES:.*]] = arith.constant true
// CHECK: %[[C:.*]] = ttg.convert_layout %arg2 : {{.*}} -> tensor<64x64xf32, #[[ROWS]]>
// CHECK-NEXT: %[[M:.*]], %[[T:.*]] = ttng.tmem_alloc %[[C]]
// CHECK-SAME: !ttg.memdesc<64x64xf32, #[[TMEM]], #ttng.tensor_memory, mutable>
// CHECK-NEXT: %[[U:.*]] = ttng.tc_gen5_mma {{.*}}, %[[M]][%[[T]]], %[[YES]], %[[YES]]
// CHECK-NEXT: %[[D:.*]], %{{.*}} = ttng.tmem_load %[[M]][%[[U]]]
// CHECK-NEXT: ttg.convert_layout %[[D]]
tt.func public @tcgen05(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// No integers there, and no f32 that must stay f32.
// CHECK-LABEL: @i8
// CHECK: tt.dot {{.*}} kWidth = 4
tt.func public @i8(%x: tensor<64x32xi8, #a>, %y: tensor<32x64xi8, #b>, %c: tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xi8, #a> * tensor<32x64xi8, #b> -> tensor<64x64xi32, #blocked>
  tt.return %d : tensor<64x64xi32, #blocked>
}

// An operand that was extended from f16 is exact in tf32.
// CHECK-LABEL: @widened
// CHECK: ttng.tc_gen5_mma
tt.func public @widened(%p: tensor<64x32x!tt.ptr<f16>, #blocked>, %y: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %l = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
  %f = arith.extf %l : tensor<64x32xf16, #blocked> to tensor<64x32xf32, #blocked>
  %x = ttg.convert_layout %f : tensor<64x32xf32, #blocked> -> tensor<64x32xf32, #a>
  %d = tt.dot %x, %y, %c : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

// CHECK-LABEL: @ieee
// CHECK-NEXT: tt.dot
tt.func public @ieee(%x: tensor<64x32xf32, #a>, %y: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot %x, %y, %c : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}

}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// Scales go to tensor memory, too; 4-bit pairs have K as their fast dimension.
// CHECK-LABEL: @scaled
// CHECK: ttng.tmem_alloc {{.*}} !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory>
// CHECK: ttng.tmem_alloc {{.*}} !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory>
// CHECK: ttng.tc_gen5_mma_scaled {{.*}} lhs = e2m1 rhs = e2m1
tt.func public @scaled(%x: tensor<128x64xi8, #blocked>, %s: tensor<128x4xi8, #blocked>, %y: tensor<64x128xi8, #blocked>, %t: tensor<128x4xi8, #blocked>, %c: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
  %d = tt.dot_scaled %x scale %s, %y scale %t, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<128x64xi8, #blocked>, tensor<128x4xi8, #blocked> * tensor<64x128xi8, #blocked>, tensor<128x4xi8, #blocked> -> tensor<128x128xf32, #blocked>
  tt.return %d : tensor<128x128xf32, #blocked>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {
// mma.sync of this chip reads scales: they go to the lanes whose rows they scale.
// CHECK-DAG: #[[A:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [32, 0], [64, 0]], lane = {{\[\[}}8, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 0], [16, 0]], block = []}>
// CHECK-LABEL: @scaled
// CHECK: ttg.convert_layout %arg1 : {{.*}} -> tensor<128x4xi8, #[[A]]>
// CHECK: tt.dot_scaled
tt.func public @scaled(%x: tensor<128x64xi8, #blocked>, %s: tensor<128x4xi8, #blocked>, %y: tensor<64x128xi8, #blocked>, %t: tensor<128x4xi8, #blocked>, %c: tensor<128x128xf32, #blocked>) -> tensor<128x128xf32, #blocked> {
  %d = tt.dot_scaled %x scale %s, %y scale %t, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<128x64xi8, #blocked>, tensor<128x4xi8, #blocked> * tensor<64x128xi8, #blocked>, tensor<128x4xi8, #blocked> -> tensor<128x128xf32, #blocked>
  tt.return %d : tensor<128x128xf32, #blocked>
}
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// Scales of B alone: the dot is turned around, and its operands are multiplied out.
// CHECK-LABEL: @scale_of_b
// CHECK: tt.trans %arg0
// CHECK: ttg.fp4_to_fp
// CHECK: arith.mulf
// CHECK: %[[D:.*]] = tt.dot
// CHECK: tt.trans
tt.func public @scale_of_b(%x: tensor<64x64xbf16, #blocked>, %y: tensor<32x64xi8, #blocked>, %t: tensor<64x2xi8, #blocked>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %d = tt.dot_scaled %x, %y scale %t, %c lhs = bf16 rhs = e2m1 {fastMath = false} : tensor<64x64xbf16, #blocked> * tensor<32x64xi8, #blocked>, tensor<64x2xi8, #blocked> -> tensor<64x64xf32, #blocked>
  tt.return %d : tensor<64x64xf32, #blocked>
}
}

// -----

// The tensor cores have no FNUZ floats; the dot becomes FMAs.
// CHECK-LABEL: @fnuz
// CHECK: %[[A:.*]] = tt.fp_to_fp %arg0 : tensor<64x128xf8E4M3FNUZ, {{.*}}> -> tensor<64x128xf32, {{.*}}>
// CHECK: tt.dot %[[A]], {{.*}} -> tensor<64x64xf32, #blocked
#blocked = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:89", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @fnuz(%a: tensor<64x128xf8E4M3FNUZ, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<128x64xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>) -> tensor<64x64xf32, #blocked> {
    %c = arith.constant dense<0.0> : tensor<64x64xf32, #blocked>
    %d = tt.dot %a, %b, %c : tensor<64x128xf8E4M3FNUZ, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<128x64xf8E5M2, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #blocked>
    tt.return %d : tensor<64x64xf32, #blocked>
  }
}
