// RUN: %lower %s | filecheck %s

// Eight rows by one instruction; their indices are read from the lanes that hold them.
// CHECK-LABEL: define {{.*}} @gather(
// CHECK: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(1) %arg0 to i64
// CHECK-NEXT: %[[SEXT1:\w+]] = sext i32 0 to i64
// CHECK-NEXT: %[[MUL1:\w+]] = mul i64 %[[SEXT1]], %[[STRIDE:\w+]]
// CHECK-NEXT: %[[MUL2:\w+]] = mul i64 %[[MUL1]], 2
// CHECK-NEXT: %[[ADD1:\w+]] = add i64 %[[PTRTOINT1]], %[[MUL2]]
// CHECK-NEXT: %[[SEXT2:\w+]] = sext i32 %arg3 to i64
// CHECK-NEXT: %[[MUL3:\w+]] = mul i64 %[[SEXT2]], 2
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[ADD1]], %[[MUL3]]
// CHECK-NEXT: %[[SUB1:\w+]] = sub i32 %arg2, %arg3
// CHECK-NEXT: %[[SMAX1:\w+]] = call i32 @llvm.smax.i32(i32 %[[SUB1]], i32 0)
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(3) null to i32
// CHECK-NEXT: %[[READFIRSTLAN1:\w+]] = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %[[R:\w+]])
// CHECK-NEXT: %[[READLANE1:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[R]], i32 1)
// CHECK-NEXT: %[[READLANE2:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[R]], i32 2)
// CHECK-NEXT: %[[READLANE3:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[R]], i32 3)
// CHECK-NEXT: %[[READLANE4:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[R]], i32 4)
// CHECK-NEXT: %[[READLANE5:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[R]], i32 5)
// CHECK-NEXT: %[[READLANE6:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[R]], i32 6)
// CHECK-NEXT: %[[READLANE7:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[R]], i32 7)
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i64 %[[ADD2]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i64 %[[ADD2]], 32
// CHECK-NEXT: %[[TRUNC2:\w+]] = trunc i64 %[[LSHR1]] to i32
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[TRUNC2]], 33554431
// CHECK-NEXT: %[[SHL1:\w+]] = shl i32 %[[SMAX1]], 16
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[SMAX1]], 16
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR2]], 65535
// CHECK-NEXT: %[[SHL2:\w+]] = shl i32 %arg1, 16
// CHECK-NEXT: %[[LSHR3:\w+]] = lshr i32 %arg1, 16
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[LSHR3]], 65535
// CHECK-NEXT: %[[TRUNC3:\w+]] = trunc i64 %[[STRIDE]] to i32
// CHECK-NEXT: %[[LSHR4:\w+]] = lshr i64 %[[STRIDE]], 32
// CHECK-NEXT: %[[TRUNC4:\w+]] = trunc i64 %[[LSHR4]] to i32
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[TRUNC4]], 65535
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[AND1]], -2147483648
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <4 x i32> poison, i32 -1073741823, i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i32> %[[VEC1]], i32 %[[PTRTOINT2]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i32> %[[VEC2]], i32 %[[TRUNC1]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i32> %[[VEC3]], i32 %[[OR1]], i32 3
// CHECK-NEXT: %[[OR2:\w+]] = or i32 %[[SHL2]], %[[AND2]]
// CHECK-NEXT: %[[OR3:\w+]] = or i32 %[[AND3]], 4194304
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <8 x i32> poison, i32 65536, i32 0
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <8 x i32> %[[VEC5]], i32 %[[SHL1]], i32 1
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <8 x i32> %[[VEC6]], i32 %[[OR2]], i32 2
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <8 x i32> %[[VEC7]], i32 %[[OR3]], i32 3
// CHECK-NEXT: %[[VEC9:\w+]] = insertelement <8 x i32> %[[VEC8]], i32 8, i32 4
// CHECK-NEXT: %[[VEC10:\w+]] = insertelement <8 x i32> %[[VEC9]], i32 %[[TRUNC3]], i32 5
// CHECK-NEXT: %[[VEC11:\w+]] = insertelement <8 x i32> %[[VEC10]], i32 %[[AND4]], i32 6
// CHECK-NEXT: %[[VEC12:\w+]] = insertelement <8 x i32> %[[VEC11]], i32 0, i32 7
// CHECK-NEXT: %[[VEC13:\w+]] = insertelement <4 x i32> poison, i32 %[[READFIRSTLAN1]], i32 0
// CHECK-NEXT: %[[VEC14:\w+]] = insertelement <4 x i32> %[[VEC13]], i32 %[[READLANE1]], i32 1
// CHECK-NEXT: %[[VEC15:\w+]] = insertelement <4 x i32> %[[VEC14]], i32 %[[READLANE2]], i32 2
// CHECK-NEXT: %[[VEC16:\w+]] = insertelement <4 x i32> %[[VEC15]], i32 %[[READLANE3]], i32 3
// CHECK-NEXT: %[[VEC17:\w+]] = insertelement <4 x i32> poison, i32 %[[READLANE4]], i32 0
// CHECK-NEXT: %[[VEC18:\w+]] = insertelement <4 x i32> %[[VEC17]], i32 %[[READLANE5]], i32 1
// CHECK-NEXT: %[[VEC19:\w+]] = insertelement <4 x i32> %[[VEC18]], i32 %[[READLANE6]], i32 2
// CHECK-NEXT: %[[VEC20:\w+]] = insertelement <4 x i32> %[[VEC19]], i32 %[[READLANE7]], i32 3
// CHECK-NEXT: call void @llvm.amdgcn.tensor.load.to.lds(<4 x i32> %[[VEC4]], <8 x i32> %[[VEC12]], <4 x i32> %[[VEC16]], <4 x i32> %[[VEC20]], i32 0)
#i = #ttg.linear<{register = [], lane = [[1], [2], [4], [0], [0]], warp = [], block = []}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @gather(%p: !tt.ptr<f16>, %rows: i32, %columns: i32, %j: i32, %r_ptr: !tt.ptr<i32>) {
    %stride = arith.extsi %columns : i32 to i64
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %one] : <f16>, <tensor<8x64xf16>>
    %r_ptrs = tt.splat %r_ptr : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>, #i>
    %r = tt.load %r_ptrs : tensor<8x!tt.ptr<i32>, #i>
    %m = ttg.local_alloc : () -> !ttg.memdesc<8x64xf16, #s, #smem, mutable>
    %t = amdg.async_tdm_gather %d[%r, %j] to %m : tensor<8xi32, #i>, !ttg.memdesc<8x64xf16, #s, #smem, mutable> -> !tt.tensordesc<tensor<8x64xf16>>
    tt.return
  }
}

// -----

// The warps hold different rows, so each moves its own, one at a time. 16-bit indices are packed.
// CHECK-LABEL: define {{.*}} @scatter_rows_of_warps(
// CHECK: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(1) %arg0 to i64
// CHECK-NEXT: %[[SEXT1:\w+]] = sext i32 0 to i64
// CHECK-NEXT: %[[MUL1:\w+]] = mul i64 %[[SEXT1]], %[[STRIDE:\w+]]
// CHECK-NEXT: %[[MUL2:\w+]] = mul i64 %[[MUL1]], 2
// CHECK-NEXT: %[[ADD1:\w+]] = add i64 %[[PTRTOINT1]], %[[MUL2]]
// CHECK-NEXT: %[[SEXT2:\w+]] = sext i32 %arg3 to i64
// CHECK-NEXT: %[[MUL3:\w+]] = mul i64 %[[SEXT2]], 2
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[ADD1]], %[[MUL3]]
// CHECK-NEXT: %[[SUB1:\w+]] = sub i32 %arg2, %arg3
// CHECK-NEXT: %[[SMAX1:\w+]] = call i32 @llvm.smax.i32(i32 %[[SUB1]], i32 0)
// CHECK-NEXT: %[[READFIRSTLAN1:\w+]] = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %[[IN1:\w+]])
// CHECK-NEXT: %[[MUL4:\w+]] = mul i32 %[[READFIRSTLAN1]], 128
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(3) null to i32
// CHECK-NEXT: %[[ADD3:\w+]] = add i32 %[[PTRTOINT2]], %[[MUL4]]
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i16 %[[R:\w+]] to i32
// CHECK-NEXT: %[[READFIRSTLAN2:\w+]] = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %[[ZEXT1]])
// CHECK-NEXT: %[[SHL1:\w+]] = shl i32 0, 16
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[READFIRSTLAN2]], %[[SHL1]]
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i64 %[[ADD2]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i64 %[[ADD2]], 32
// CHECK-NEXT: %[[TRUNC2:\w+]] = trunc i64 %[[LSHR1]] to i32
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[TRUNC2]], 33554431
// CHECK-NEXT: %[[SHL2:\w+]] = shl i32 %[[SMAX1]], 16
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[SMAX1]], 16
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR2]], 65535
// CHECK-NEXT: %[[SHL3:\w+]] = shl i32 %arg1, 16
// CHECK-NEXT: %[[LSHR3:\w+]] = lshr i32 %arg1, 16
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[LSHR3]], 65535
// CHECK-NEXT: %[[TRUNC3:\w+]] = trunc i64 %[[STRIDE]] to i32
// CHECK-NEXT: %[[LSHR4:\w+]] = lshr i64 %[[STRIDE]], 32
// CHECK-NEXT: %[[TRUNC4:\w+]] = trunc i64 %[[LSHR4]] to i32
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[TRUNC4]], 65535
// CHECK-NEXT: %[[OR2:\w+]] = or i32 %[[AND1]], -2147483648
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <4 x i32> poison, i32 -2147483647, i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i32> %[[VEC1]], i32 %[[ADD3]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i32> %[[VEC2]], i32 %[[TRUNC1]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i32> %[[VEC3]], i32 %[[OR2]], i32 3
// CHECK-NEXT: %[[OR3:\w+]] = or i32 %[[SHL3]], %[[AND2]]
// CHECK-NEXT: %[[OR4:\w+]] = or i32 %[[AND3]], 4194304
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <8 x i32> poison, i32 65536, i32 0
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <8 x i32> %[[VEC5]], i32 %[[SHL2]], i32 1
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <8 x i32> %[[VEC6]], i32 %[[OR3]], i32 2
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <8 x i32> %[[VEC7]], i32 %[[OR4]], i32 3
// CHECK-NEXT: %[[VEC9:\w+]] = insertelement <8 x i32> %[[VEC8]], i32 1, i32 4
// CHECK-NEXT: %[[VEC10:\w+]] = insertelement <8 x i32> %[[VEC9]], i32 %[[TRUNC3]], i32 5
// CHECK-NEXT: %[[VEC11:\w+]] = insertelement <8 x i32> %[[VEC10]], i32 %[[AND4]], i32 6
// CHECK-NEXT: %[[VEC12:\w+]] = insertelement <8 x i32> %[[VEC11]], i32 0, i32 7
// CHECK-NEXT: %[[VEC13:\w+]] = insertelement <4 x i32> poison, i32 %[[OR1]], i32 0
// CHECK-NEXT: %[[VEC14:\w+]] = insertelement <4 x i32> %[[VEC13]], i32 0, i32 1
// CHECK-NEXT: %[[VEC15:\w+]] = insertelement <4 x i32> %[[VEC14]], i32 0, i32 2
// CHECK-NEXT: %[[VEC16:\w+]] = insertelement <4 x i32> %[[VEC15]], i32 0, i32 3
// CHECK-NEXT: %[[VEC17:\w+]] = insertelement <4 x i32> poison, i32 0, i32 0
// CHECK-NEXT: %[[VEC18:\w+]] = insertelement <4 x i32> %[[VEC17]], i32 0, i32 1
// CHECK-NEXT: %[[VEC19:\w+]] = insertelement <4 x i32> %[[VEC18]], i32 0, i32 2
// CHECK-NEXT: %[[VEC20:\w+]] = insertelement <4 x i32> %[[VEC19]], i32 0, i32 3
// CHECK-NEXT: call void @llvm.amdgcn.tensor.store.from.lds(<4 x i32> %[[VEC4]], <8 x i32> %[[VEC12]], <4 x i32> %[[VEC16]], <4 x i32> %[[VEC20]], i32 0)
#i = #ttg.linear<{register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scatter_rows_of_warps(%p: !tt.ptr<f16>, %rows: i32, %columns: i32, %j: i32, %r_ptr: !tt.ptr<i16>) {
    %stride = arith.extsi %columns : i32 to i64
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %one] : <f16>, <tensor<4x64xf16>>
    %r_ptrs = tt.splat %r_ptr : !tt.ptr<i16> -> tensor<4x!tt.ptr<i16>, #i>
    %r = tt.load %r_ptrs : tensor<4x!tt.ptr<i16>, #i>
    %m = ttg.local_alloc : () -> !ttg.memdesc<4x64xf16, #s, #smem, mutable>
    %t = amdg.async_tdm_scatter %d[%r, %j] from %m : tensor<4xi16, #i>, !ttg.memdesc<4x64xf16, #s, #smem, mutable> -> !tt.tensordesc<tensor<4x64xf16>>
    tt.return
  }
}
