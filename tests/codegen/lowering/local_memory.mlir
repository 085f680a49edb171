// RUN: %lower %s | filecheck %s

// The second of two buffers: its offset is added to each address.
// CHECK-LABEL: define {{.*}} @buffers(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 4
// CHECK: %[[MUL1:\w+]] = mul i32 %arg0, 512
// CHECK-NEXT: %[[V0:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[MUL1]]
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[X0:\w+]] to i32
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast float %[[X1:\w+]] to i32
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[X2:\w+]] to i32
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast float %[[X3:\w+]] to i32
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) %[[V0]], i32 %[[SHL1]]
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <4 x i32> poison, i32 %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i32> %[[VEC1]], i32 %[[BITCAST2]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i32> %[[VEC2]], i32 %[[BITCAST3]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i32> %[[VEC3]], i32 %[[BITCAST4]], i32 3
// CHECK-NEXT: store <4 x i32> %[[VEC4]], ptr addrspace(3) %[[PTR1]], align 16
// CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: %[[LOAD1:\w+]] = load <4 x i32>, ptr addrspace(3) %[[PTR1]], align 16
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 1
// CHECK-NEXT: %[[ELT3:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 2
// CHECK-NEXT: %[[ELT4:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 3
// CHECK-NEXT: %[[Y0:\w+]] = bitcast i32 %[[ELT1]] to float
// CHECK-NEXT: %[[Y1:\w+]] = bitcast i32 %[[ELT2]] to float
// CHECK-NEXT: %[[Y2:\w+]] = bitcast i32 %[[ELT3]] to float
// CHECK-NEXT: %[[Y3:\w+]] = bitcast i32 %[[ELT4]] to float
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @buffers(%i: i32, %x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<128x!tt.ptr<f32>, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<2x128xf32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x128xf32, #s, #smem, mutable> -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    ttg.local_store %x, %v : tensor<128xf32, #b> -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    %y = ttg.local_load %v : !ttg.memdesc<128xf32, #s, #smem, mutable> -> tensor<128xf32, #b>
    ttg.local_dealloc %m : !ttg.memdesc<2x128xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----

// A dot operand of f16 in a swizzled tile is loaded by ldmatrix, transposed where k is not contiguous.
// CHECK-LABEL: define {{.*}} @ldmatrix(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 16
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 4
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL1]], 112
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[IN1]], 7
// CHECK: %[[XOR1:\w+]] = xor i32 %[[AND1]], %[[AND2]]
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[XOR1]], %[[IN2:\w+]]
// CHECK: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[OR1]]
// CHECK-NEXT: %[[LDMATRIX1:\w+]] = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %[[PTR1]])
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i32, i32, i32 } %[[LDMATRIX1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { i32, i32, i32, i32 } %[[LDMATRIX1]], 1
// CHECK: %[[BITCAST1:\w+]] = bitcast i32 %[[PART1]] to <2 x i16>
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x i16> %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x i16> %[[BITCAST1]], i32 1
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[PART2]] to <2 x i16>
// CHECK: %[[XOR2:\w+]] = xor i32 %[[OR1]], 32
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[XOR2]]
// CHECK-NEXT: %[[LDMATRIX2:\w+]] = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %[[PTR2]])
// CHECK: %[[XOR3:\w+]] = xor i32 %[[OR1]], 64
// CHECK: %[[X0:\w+]] = bitcast i16 %[[ELT1]] to half
// CHECK-NEXT: %[[X1:\w+]] = bitcast i16 %[[ELT2]] to half
// CHECK: %[[LDMATRIX3:\w+]] = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %[[PTR1]])
// CHECK: %[[LDMATRIX4:\w+]] = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %[[PTR2]])
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ldmatrix() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<16x64xf16, #s, #smem, mutable>
    %x = ttg.local_load %m : !ttg.memdesc<16x64xf16, #s, #smem, mutable> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %n = ttg.local_alloc : () -> !ttg.memdesc<16x64xf16, #s, #smem, mutable>
    %y = ttg.local_load %n : !ttg.memdesc<16x64xf16, #s, #smem, mutable> -> tensor<16x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>
    tt.return
  }
}

// -----

// A slice starts at a constant offset; a transposed view has the same address.
// CHECK-LABEL: define {{.*}} @views(
// CHECK: %[[SHL0:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 2
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[SHL0]], 48
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 4
// CHECK-NEXT: %[[XOR1:\w+]] = xor i32 %[[AND1]], %[[SHL1]]
// CHECK: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[XOR1]]
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 512
// CHECK-NEXT: %[[LOAD1:\w+]] = load <4 x i32>, ptr addrspace(3) %[[PTR2]], align 16
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 1
// CHECK: %[[X0:\w+]] = bitcast i32 %[[ELT1]] to float
// CHECK-NEXT: %[[X1:\w+]] = bitcast i32 %[[ELT2]] to float
// CHECK: %[[LOAD2:\w+]] = load <4 x i32>, ptr addrspace(3) %[[PTR1]], align 16
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [0, 1]}>
#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#r = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @views() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<16x16xf32, #s, #smem, mutable>
    %v = ttg.memdesc_subslice %m[8, 0] : !ttg.memdesc<16x16xf32, #s, #smem, mutable> -> !ttg.memdesc<8x16xf32, #s, #smem, mutable, 16x16>
    %x = ttg.local_load %v : !ttg.memdesc<8x16xf32, #s, #smem, mutable, 16x16> -> tensor<8x16xf32, #b>
    %w = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<16x16xf32, #s, #smem, mutable> -> !ttg.memdesc<16x16xf32, #r, #smem, mutable>
    %y = ttg.local_load %w : !ttg.memdesc<16x16xf32, #r, #smem, mutable> -> tensor<16x16xf32, #t>
    tt.return
  }
}

// -----

// An i1 is a byte in shared memory.
// CHECK-LABEL: define {{.*}} @bool(
// CHECK: %[[ZEXT1:\w+]] = zext i1 %[[X:\w+]] to i8
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[IN1:\w+]]
// CHECK-NEXT: store i8 %[[ZEXT1]], ptr addrspace(3) %[[PTR1]], align 1
// CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: %[[LOAD1:\w+]] = load i8, ptr addrspace(3) %[[PTR1]], align 1
// CHECK-NEXT: %[[Y:\w+]] = trunc i8 %[[LOAD1]] to i1
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @bool(%x_ptr: !tt.ptr<i1>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i1> -> tensor<32x!tt.ptr<i1>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<i1>, #b>
    %m = ttg.local_alloc %x : (tensor<32xi1, #b>) -> !ttg.memdesc<32xi1, #s, #smem, mutable>
    %y = ttg.local_load %m : !ttg.memdesc<32xi1, #s, #smem, mutable> -> tensor<32xi1, #b>
    tt.return
  }
}

// -----

// Rows 4 and 5 of a padded buffer: 4 elements of padding follow each 64.
// CHECK-LABEL: define {{.*}} @padded_slice(
// CHECK-DAG: getelementptr i8, ptr addrspace(3) %{{.*}}, i32 1088
// CHECK-DAG: getelementptr i8, ptr addrspace(3) %{{.*}}, i32 1360
#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [8, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @padded_slice(%x: f32) {
    %xs = tt.splat %x : f32 -> tensor<2x64xf32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<8x64xf32, #s, #smem, mutable>
    %v = ttg.memdesc_subslice %m[4, 0] : !ttg.memdesc<8x64xf32, #s, #smem, mutable> -> !ttg.memdesc<2x64xf32, #s, #smem, mutable, 8x64>
    ttg.local_store %xs, %v : tensor<2x64xf32, #b> -> !ttg.memdesc<2x64xf32, #s, #smem, mutable, 8x64>
    tt.return
  }
}
