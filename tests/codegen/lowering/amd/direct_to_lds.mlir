// RUN: %lower %s | filecheck %s

// Each instruction copies 16 bytes per lane to a uniform LDS address plus 16 bytes times the lane.
// CHECK-LABEL: define {{.*}} @by_buffer(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 9
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[IN2:\w+]], 4
// CHECK: %[[MAKE1:\w+]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %arg0, i16 0, i64 2147483646, i32 159744)
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i16, ptr addrspace(3) null, i32 %[[SHL1]]
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 %[[SHL2]]
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[O0:\w+]], 2
// CHECK-NEXT: call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %[[MAKE1]], ptr addrspace(3) %[[PTR1]], i32 16, i32 %[[MUL1]], i32 0, i32 0, i32 0), !alias.scope !3
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[SHL1]], 1024
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i16, ptr addrspace(3) null, i32 %[[OR1]]
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR3]], i32 %[[SHL2]]
// CHECK-NEXT: %[[MUL2:\w+]] = mul i32 %[[O8:\w+]], 2
// CHECK-NEXT: call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %[[MAKE1]], ptr addrspace(3) %[[PTR3]], i32 16, i32 %[[MUL2]], i32 0, i32 0, i32 0), !alias.scope !3
// CHECK-NEXT: %[[OR2:\w+]] = or disjoint i32 %[[SHL1]], 2048
// CHECK-NEXT: %[[PTR5:\w+]] = getelementptr i16, ptr addrspace(3) null, i32 %[[OR2]]
// CHECK-NEXT: %[[PTR6:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR5]], i32 %[[SHL2]]
// CHECK-NEXT: %[[MUL3:\w+]] = mul i32 %[[O16:\w+]], 2
// CHECK-NEXT: call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %[[MAKE1]], ptr addrspace(3) %[[PTR5]], i32 16, i32 %[[MUL3]], i32 0, i32 0, i32 0), !alias.scope !3
// CHECK-NEXT: %[[OR3:\w+]] = or disjoint i32 %[[SHL1]], 3072
// CHECK-NEXT: %[[PTR7:\w+]] = getelementptr i16, ptr addrspace(3) null, i32 %[[OR3]]
// CHECK-NEXT: %[[PTR8:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR7]], i32 %[[SHL2]]
// CHECK-NEXT: %[[MUL4:\w+]] = mul i32 %[[O24:\w+]], 2
// CHECK-NEXT: call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %[[MAKE1]], ptr addrspace(3) %[[PTR7]], i32 16, i32 %[[MUL4]], i32 0, i32 0, i32 0), !alias.scope !3
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @by_buffer(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %o_i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %o_rows = tt.expand_dims %o_i {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
    %o_j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %o_columns = tt.expand_dims %o_j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %o_stride = arith.constant dense<64> : tensor<64x1xi32, #b>
    %o_starts = arith.muli %o_rows, %o_stride : tensor<64x1xi32, #b>
    %o_starts2 = tt.broadcast %o_starts : tensor<64x1xi32, #b> -> tensor<64x64xi32, #b>
    %o_columns2 = tt.broadcast %o_columns : tensor<1x64xi32, #b> -> tensor<64x64xi32, #b>
    %o = arith.addi %o_starts2, %o_columns2 : tensor<64x64xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    %t = amdg.buffer_load_to_local %p[%o] into %m {contiguity = 8 : i32} : <f16>[tensor<64x64xi32, #b>]  -> <64x64xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

// By pointer a mask is a branch, and the masked lanes store `other`. The swizzle exchanges vectors
// between lanes, so pointer and mask are shuffled first.
// CHECK-LABEL: define {{.*}} @by_pointer_masked_swizzled(
// CHECK: %[[XOR1:\w+]] = xor i32 %[[P_I:\w+]], %[[IN1:\w+]]
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 4
// CHECK: %[[PTR1:\w+]] = getelementptr i16, ptr addrspace(3) null, i32 0
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 %[[SHL1]]
// CHECK-NEXT: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(1) %[[P0:\w+]] to i64
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast i64 %[[PTRTOINT1]] to <2 x i32>
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x i32> %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[SHL2:\w+]] = shl i32 %[[XOR1]], 2
// CHECK-NEXT: %[[DS1:\w+]] = call i32 @llvm.amdgcn.ds.bpermute(i32 %[[SHL2]], i32 %[[ELT1]])
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <2 x i32> poison, i32 %[[DS1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x i32> %[[BITCAST1]], i32 1
// CHECK-NEXT: %[[DS2:\w+]] = call i32 @llvm.amdgcn.ds.bpermute(i32 %[[SHL2]], i32 %[[ELT2]])
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x i32> %[[VEC1]], i32 %[[DS2]], i32 1
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast <2 x i32> %[[VEC2]] to i64
// CHECK-NEXT: %[[INTTOPTR1:\w+]] = inttoptr i64 %[[BITCAST2]] to ptr addrspace(1)
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i1 %arg0 to i32
// CHECK-NEXT: %[[DS3:\w+]] = call i32 @llvm.amdgcn.ds.bpermute(i32 %[[SHL2]], i32 %[[ZEXT1]])
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i32 %[[DS3]] to i1
// CHECK-NEXT: br i1 %[[TRUNC1]], label %copy.1, label %kept.2
// CHECK-NEXT: copy.1:
// CHECK-NEXT: call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %[[INTTOPTR1]], ptr addrspace(3) %[[PTR1]], i32 16, i32 0, i32 0), !alias.scope !3
// CHECK-NEXT: br label %copied.3
// CHECK-NEXT: kept.2:
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast half 0xH4700 to i16
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <8 x i16> poison, i16 %[[BITCAST3]], i32 0
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <8 x i16> %[[VEC3]], i16 %[[BITCAST3]], i32 1
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <8 x i16> %[[VEC4]], i16 %[[BITCAST3]], i32 2
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <8 x i16> %[[VEC5]], i16 %[[BITCAST3]], i32 3
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <8 x i16> %[[VEC6]], i16 %[[BITCAST3]], i32 4
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <8 x i16> %[[VEC7]], i16 %[[BITCAST3]], i32 5
// CHECK-NEXT: %[[VEC9:\w+]] = insertelement <8 x i16> %[[VEC8]], i16 %[[BITCAST3]], i32 6
// CHECK-NEXT: %[[VEC10:\w+]] = insertelement <8 x i16> %[[VEC9]], i16 %[[BITCAST3]], i32 7
// CHECK-NEXT: store <8 x i16> %[[VEC10]], ptr addrspace(3) %[[PTR2]], align 16, !noalias !3
// CHECK-NEXT: br label %copied.3
// CHECK-NEXT: copied.3:
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @by_pointer_masked_swizzled(%c: i1, %p_base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %p_i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %p_rows = tt.expand_dims %p_i {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<8x1xi32, #b>
    %p_j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %p_columns = tt.expand_dims %p_j {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x64xi32, #b>
    %p_stride = arith.constant dense<64> : tensor<8x1xi32, #b>
    %p_starts = arith.muli %p_rows, %p_stride : tensor<8x1xi32, #b>
    %p_starts2 = tt.broadcast %p_starts : tensor<8x1xi32, #b> -> tensor<8x64xi32, #b>
    %p_columns2 = tt.broadcast %p_columns : tensor<1x64xi32, #b> -> tensor<8x64xi32, #b>
    %p_offsets = arith.addi %p_starts2, %p_columns2 : tensor<8x64xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f16> -> tensor<8x64x!tt.ptr<f16>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<8x64x!tt.ptr<f16>, #b>, tensor<8x64xi32, #b>
    %mask = tt.splat %c : i1 -> tensor<8x64xi1, #b>
    %seven = arith.constant dense<7.0> : tensor<8x64xf16, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<8x64xf16, #s, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %m mask %mask other %seven {contiguity = 8 : i32} : tensor<8x64x!tt.ptr<f16>, #b> -> <8x64xf16, #s, #smem, mutable>
    tt.return
  }
}
