// RUN: %lower %s | filecheck %s

// Eight contiguous halves are one load of four words; their offset is in bytes.
// CHECK-LABEL: define {{.*}} @vector_load(
// CHECK: %[[MAKE1:\w+]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %arg0, i16 0, i64 2147483646, i32 159744)
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[O0:\w+]], 2
// CHECK-NEXT: %[[RAW1:\w+]] = call <4 x i32> @llvm.amdgcn.raw.ptr.buffer.load.v4i32(ptr addrspace(8) %[[MAKE1]], i32 %[[MUL1]], i32 0, i32 0)
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x i32> %[[RAW1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x i32> %[[RAW1]], i32 1
// CHECK: %[[BITCAST1:\w+]] = bitcast i32 %[[ELT1]] to <2 x half>
// CHECK-NEXT: %[[X0:\w+]] = extractelement <2 x half> %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[X1:\w+]] = extractelement <2 x half> %[[BITCAST1]], i32 1
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[ELT2]] to <2 x half>
#b = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @vector_load(%p: !tt.ptr<f16>) {
    %o = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
    %x = amdg.buffer_load %p[%o] : tensor<512xf16, #b>
    tt.return
  }
}

// -----

// Where the mask is false, the offset is out of bounds: the load gives 0, so `other` needs a select.
// CHECK-LABEL: define {{.*}} @masked(
// CHECK: %[[MAKE1:\w+]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %arg0, i16 0, i64 2147483646, i32 159744)
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[O:\w+]], 4
// CHECK-NEXT: %[[SELECT1:\w+]] = select i1 %[[M:\w+]], i32 %[[MUL1]], i32 -2147483648
// CHECK-NEXT: %[[RAW1:\w+]] = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %[[MAKE1]], i32 %[[SELECT1]], i32 0, i32 0)
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast i32 %[[RAW1]] to float
// CHECK-NEXT: %[[X:\w+]] = select i1 %[[M]], float %[[BITCAST1]], float 0x3FF0000000000000
// CHECK-NEXT: %[[MAKE2:\w+]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %arg0, i16 0, i64 2147483646, i32 159744)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast float %[[X]] to i32
// CHECK-NEXT: call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %[[BITCAST2]], ptr addrspace(8) %[[MAKE2]], i32 %[[SELECT1]], i32 0, i32 0)
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @masked(%p: !tt.ptr<f32>, %m_size: i32) {
    %o = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %m_offsets = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %m_sizes = tt.splat %m_size : i32 -> tensor<64xi32, #b>
    %m = arith.cmpi slt, %m_offsets, %m_sizes : tensor<64xi32, #b>
    %one = arith.constant dense<1.0> : tensor<64xf32, #b>
    %x = amdg.buffer_load %p[%o], %m, %one : tensor<64xf32, #b>
    amdg.buffer_store %x, %p[%o], %m : tensor<64xf32, #b>
    tt.return
  }
}

// -----

// Elements of 64 bits are two words. The second warp holds replicas, and stores out of bounds.
// CHECK-LABEL: define {{.*}} @owner_stores_words(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[MAKE1:\w+]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %arg0, i16 0, i64 2147483646, i32 159744)
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[O:\w+]], 8
// CHECK-NEXT: %[[SELECT1:\w+]] = select i1 %[[ICMP1]], i32 %[[MUL1]], i32 -2147483648
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast i64 %[[X:\w+]] to <2 x i32>
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x i32> %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x i32> %[[BITCAST1]], i32 1
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <2 x i32> poison, i32 %[[ELT1]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x i32> %[[VEC1]], i32 %[[ELT2]], i32 1
// CHECK-NEXT: call void @llvm.amdgcn.raw.ptr.buffer.store.v2i32(<2 x i32> %[[VEC2]], ptr addrspace(8) %[[MAKE1]], i32 %[[SELECT1]], i32 0, i32 0)
#b = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @owner_stores_words(%p: !tt.ptr<i64>, %x_ptr: !tt.ptr<i64>) {
    %o = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i64> -> tensor<64x!tt.ptr<i64>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<i64>, #b>
    amdg.buffer_store %x, %p[%o] : tensor<64xi64, #b>
    tt.return
  }
}

// -----

// An i1 is a byte in memory. `.cg` sets cache policy bits.
// CHECK-LABEL: define {{.*}} @bool_and_cache_modifier(
// CHECK: %[[MAKE1:\w+]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %arg0, i16 0, i64 2147483646, i32 159744)
// CHECK-NEXT: %[[RAW1:\w+]] = call i8 @llvm.amdgcn.raw.ptr.buffer.load.i8(ptr addrspace(8) %[[MAKE1]], i32 %[[O:\w+]], i32 0, i32 3)
// CHECK-NEXT: %[[X:\w+]] = trunc i8 %[[RAW1]] to i1
// CHECK-NEXT: %[[MAKE2:\w+]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %arg0, i16 0, i64 2147483646, i32 159744)
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i1 %[[X]] to i8
// CHECK-NEXT: call void @llvm.amdgcn.raw.ptr.buffer.store.i8(i8 %[[ZEXT1]], ptr addrspace(8) %[[MAKE2]], i32 %[[O]], i32 0, i32 0)
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @bool_and_cache_modifier(%p: !tt.ptr<i1>) {
    %o = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %x = amdg.buffer_load %p[%o] cacheModifier = cg : tensor<64xi1, #b>
    amdg.buffer_store %x, %p[%o] : tensor<64xi1, #b>
    tt.return
  }
}

// -----

// A vector has at most the contiguous elements of the layout, whatever the attribute says.
// CHECK-LABEL: define {{.*}} @contiguity_of_the_layout(
// CHECK-COUNT-2: call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(
// CHECK-NOT: call {{.*}} @llvm.amdgcn.raw.ptr.buffer.load
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @contiguity_of_the_layout(%p: !tt.ptr<f16>) {
    %o = ub.poison : tensor<256xi32, #b>
    %x = amdg.buffer_load %p[%o] {contiguity = 8 : i32} : tensor<256xf16, #b>
    tt.return
  }
}
