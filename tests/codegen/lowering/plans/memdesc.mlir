// RUN: %lower %s | filecheck %s

// The offset of a dynamic index and that of a slice are added; an offset within a swizzled tile is
// combined by xor.
// CHECK-LABEL: define {{.*}} @index_then_slice(
// CHECK: %[[SHL0:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 2
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[SHL0]], 48
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 4
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL1]], 464
// CHECK-NEXT: %[[XOR1:\w+]] = xor i32 %[[AND1]], %[[AND2]]
// CHECK: %[[MUL1:\w+]] = mul i32 %arg0, 1024
// CHECK-NEXT: %[[T0:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[MUL1]]
// CHECK-NEXT: %[[XOR2:\w+]] = xor i32 %[[XOR1]], 32
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) %[[T0]], i32 %[[XOR2]]
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 512
// CHECK-NEXT: %[[LOAD1:\w+]] = load <4 x i32>, ptr addrspace(3) %[[PTR2]], align 16
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 1
// CHECK-NEXT: %[[ELT3:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 2
// CHECK-NEXT: %[[ELT4:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 3
// CHECK-NEXT: %[[X0:\w+]] = bitcast i32 %[[ELT1]] to float
// CHECK-NEXT: %[[X1:\w+]] = bitcast i32 %[[ELT2]] to float
// CHECK-NEXT: %[[X2:\w+]] = bitcast i32 %[[ELT3]] to float
// CHECK-NEXT: %[[X3:\w+]] = bitcast i32 %[[ELT4]] to float
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @index_then_slice(%i: i32) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<3x16x16xf32, #s, #smem, mutable>
    %t = ttg.memdesc_index %m[%i] : !ttg.memdesc<3x16x16xf32, #s, #smem, mutable> -> !ttg.memdesc<16x16xf32, #s, #smem, mutable>
    %v = ttg.memdesc_subslice %t[8, 8] : !ttg.memdesc<16x16xf32, #s, #smem, mutable> -> !ttg.memdesc<8x8xf32, #s, #smem, mutable, 16x16>
    %x = ttg.local_load %v : !ttg.memdesc<8x8xf32, #s, #smem, mutable, 16x16> -> tensor<8x8xf32, #b>
    tt.return
  }
}

// -----

// A padded tile: 4 elements after each 64.
// CHECK-LABEL: define {{.*}} @padded(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 4
// CHECK: %[[BITCAST1:\w+]] = bitcast float %[[X0:\w+]] to i32
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast float %[[X1:\w+]] to i32
// CHECK: %[[LSHR1:\w+]] = lshr i32 %[[SHL1]], 8
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[LSHR1]], 16
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[SHL1]], %[[MUL1]]
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[ADD1]]
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <4 x i32> poison, i32 %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i32> %[[VEC1]], i32 %[[BITCAST2]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i32> %[[VEC2]], i32 %[[IN2:\w+]], i32 2
// CHECK: store <4 x i32> %[[IN3:\w+]], ptr addrspace(3) %[[PTR1]], align 16
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 544
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i32> poison, i32 %[[IN4:\w+]], i32 0
// CHECK: store <4 x i32> %[[IN5:\w+]], ptr addrspace(3) %[[PTR2]], align 16
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 1088
// CHECK: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: %[[LOAD1:\w+]] = load <4 x i32>, ptr addrspace(3) %[[PTR1]], align 16
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 1
// CHECK: %[[LOAD2:\w+]] = load <4 x i32>, ptr addrspace(3) %[[PTR2]], align 16
// CHECK: %[[Y0:\w+]] = bitcast i32 %[[ELT1]] to float
// CHECK-NEXT: %[[Y1:\w+]] = bitcast i32 %[[ELT2]] to float
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [8, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @padded(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<8x64x!tt.ptr<f32>, #b>
    %m = ttg.local_alloc %x : (tensor<8x64xf32, #b>) -> !ttg.memdesc<8x64xf32, #s, #smem, mutable>
    %y = ttg.local_load %m : !ttg.memdesc<8x64xf32, #s, #smem, mutable> -> tensor<8x64xf32, #b>
    tt.return
  }
}
