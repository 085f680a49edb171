// RUN: %lower %s | filecheck %s

// Group 0 has the predicate and addresses; group 1 element size, tensor shape, tile shape, strides.
// CHECK-LABEL: define {{.*}} @two_dimensions(
// CHECK: %[[SUB1:\w+]] = sub i32 %arg1, %arg3
// CHECK-NEXT: %[[SMAX1:\w+]] = call i32 @llvm.smax.i32(i32 %[[SUB1]], i32 0)
// CHECK-NEXT: %[[SUB2:\w+]] = sub i32 %arg2, %arg3
// CHECK-NEXT: %[[SMAX2:\w+]] = call i32 @llvm.smax.i32(i32 %[[SUB2]], i32 0)
// CHECK-NEXT: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) null to i32
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(1) %arg0 to i64
// CHECK-NEXT: %[[SEXT1:\w+]] = sext i32 %arg3 to i64
// CHECK-NEXT: %[[MUL1:\w+]] = mul i64 %[[SEXT1]], %[[STRIDE:\w+]]
// CHECK-NEXT: %[[MUL2:\w+]] = mul i64 %[[MUL1]], 4
// CHECK-NEXT: %[[ADD1:\w+]] = add i64 %[[PTRTOINT2]], %[[MUL2]]
// CHECK-NEXT: %[[MUL3:\w+]] = mul i64 %[[SEXT1]], 4
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[ADD1]], %[[MUL3]]
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %arg4, 3
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i64 %[[ADD2]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i64 %[[ADD2]], 32
// CHECK-NEXT: %[[TRUNC2:\w+]] = trunc i64 %[[LSHR1]] to i32
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[TRUNC2]], 33554431
// CHECK-NEXT: %[[SHL1:\w+]] = shl i32 %[[SMAX2]], 16
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[SMAX2]], 16
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[LSHR2]], 65535
// CHECK-NEXT: %[[SHL2:\w+]] = shl i32 %[[SMAX1]], 16
// CHECK-NEXT: %[[LSHR3:\w+]] = lshr i32 %[[SMAX1]], 16
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[LSHR3]], 65535
// CHECK-NEXT: %[[TRUNC3:\w+]] = trunc i64 %[[STRIDE]] to i32
// CHECK-NEXT: %[[LSHR4:\w+]] = lshr i64 %[[STRIDE]], 32
// CHECK-NEXT: %[[TRUNC4:\w+]] = trunc i64 %[[LSHR4]] to i32
// CHECK-NEXT: %[[AND5:\w+]] = and i32 %[[TRUNC4]], 65535
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[AND2]], -2147483648
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <4 x i32> poison, i32 %[[AND1]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i32> %[[VEC1]], i32 %[[PTRTOINT1]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i32> %[[VEC2]], i32 %[[TRUNC1]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i32> %[[VEC3]], i32 %[[OR1]], i32 3
// CHECK-NEXT: %[[OR2:\w+]] = or i32 %[[SHL2]], %[[AND3]]
// CHECK-NEXT: %[[OR3:\w+]] = or i32 %[[AND4]], 2097152
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <8 x i32> poison, i32 131072, i32 0
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <8 x i32> %[[VEC5]], i32 %[[SHL1]], i32 1
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <8 x i32> %[[VEC6]], i32 %[[OR2]], i32 2
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <8 x i32> %[[VEC7]], i32 %[[OR3]], i32 3
// CHECK-NEXT: %[[VEC9:\w+]] = insertelement <8 x i32> %[[VEC8]], i32 16, i32 4
// CHECK-NEXT: %[[VEC10:\w+]] = insertelement <8 x i32> %[[VEC9]], i32 %[[TRUNC3]], i32 5
// CHECK-NEXT: %[[VEC11:\w+]] = insertelement <8 x i32> %[[VEC10]], i32 %[[AND5]], i32 6
// CHECK-NEXT: %[[VEC12:\w+]] = insertelement <8 x i32> %[[VEC11]], i32 0, i32 7
// CHECK-NEXT: call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %[[VEC4]], <8 x i32> %[[VEC12]], i32 0)
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @two_dimensions(%p: !tt.ptr<f32>, %rows: i32, %columns: i32, %zero: i32, %pred: i32) {
    %stride = arith.extsi %columns : i32 to i64
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %one] : <f32>, <tensor<16x32xf32>>
    %m = ttg.local_alloc : () -> !ttg.memdesc<16x32xf32, #s, #smem, mutable>
    %t = amdg.async_tdm_copy_global_to_local %d[%zero, %zero] into %m, %pred : !tt.tensordesc<tensor<16x32xf32>> -> !ttg.memdesc<16x32xf32, #s, #smem, mutable>
    tt.return
  }
}

// -----

// A third dimension takes groups 2 and 3.
// CHECK-LABEL: define {{.*}} @three_dimensions(
// CHECK: %[[SUB1:\w+]] = sub i32 %arg1, %arg3
// CHECK-NEXT: %[[SMAX1:\w+]] = call i32 @llvm.smax.i32(i32 %[[SUB1]], i32 0)
// CHECK-NEXT: %[[SMAX2:\w+]] = call i32 @llvm.smax.i32(i32 %[[SUB1]], i32 0)
// CHECK-NEXT: %[[SMAX3:\w+]] = call i32 @llvm.smax.i32(i32 %[[SUB1]], i32 0)
// CHECK-NEXT: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) null to i32
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(1) %arg0 to i64
// CHECK-NEXT: %[[SEXT1:\w+]] = sext i32 %arg3 to i64
// CHECK-NEXT: %[[MUL1:\w+]] = mul i64 %[[SEXT1]], %arg2
// CHECK-NEXT: %[[MUL2:\w+]] = mul i64 %[[MUL1]], 1
// CHECK-NEXT: %[[ADD1:\w+]] = add i64 %[[PTRTOINT2]], %[[MUL2]]
// CHECK-NEXT: %[[ADD2:\w+]] = add i64 %[[ADD1]], %[[MUL2]]
// CHECK-NEXT: %[[MUL3:\w+]] = mul i64 %[[SEXT1]], 1
// CHECK-NEXT: %[[ADD3:\w+]] = add i64 %[[ADD2]], %[[MUL3]]
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %arg4, 3
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i64 %[[ADD3]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i64 %[[ADD3]], 32
// CHECK-NEXT: %[[TRUNC2:\w+]] = trunc i64 %[[LSHR1]] to i32
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[TRUNC2]], 33554431
// CHECK-NEXT: %[[SHL1:\w+]] = shl i32 %[[SMAX3]], 16
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[SMAX3]], 16
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[LSHR2]], 65535
// CHECK-NEXT: %[[SHL2:\w+]] = shl i32 %[[SMAX2]], 16
// CHECK-NEXT: %[[LSHR3:\w+]] = lshr i32 %[[SMAX2]], 16
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[LSHR3]], 65535
// CHECK-NEXT: %[[TRUNC3:\w+]] = trunc i64 %arg2 to i32
// CHECK-NEXT: %[[LSHR4:\w+]] = lshr i64 %arg2, 32
// CHECK-NEXT: %[[TRUNC4:\w+]] = trunc i64 %[[LSHR4]] to i32
// CHECK-NEXT: %[[AND5:\w+]] = and i32 %[[TRUNC4]], 65535
// CHECK-NEXT: %[[SHL3:\w+]] = shl i32 %[[TRUNC3]], 16
// CHECK-NEXT: %[[LSHR5:\w+]] = lshr i64 %arg2, 16
// CHECK-NEXT: %[[TRUNC5:\w+]] = trunc i64 %[[LSHR5]] to i32
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[AND2]], -2147483648
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <4 x i32> poison, i32 %[[AND1]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i32> %[[VEC1]], i32 %[[PTRTOINT1]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i32> %[[VEC2]], i32 %[[TRUNC1]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i32> %[[VEC3]], i32 %[[OR1]], i32 3
// CHECK-NEXT: %[[OR2:\w+]] = or i32 %[[SHL2]], %[[AND3]]
// CHECK-NEXT: %[[OR3:\w+]] = or i32 %[[AND4]], 4194304
// CHECK-NEXT: %[[OR4:\w+]] = or i32 %[[SHL3]], %[[AND5]]
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <8 x i32> poison, i32 0, i32 0
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <8 x i32> %[[VEC5]], i32 %[[SHL1]], i32 1
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <8 x i32> %[[VEC6]], i32 %[[OR2]], i32 2
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <8 x i32> %[[VEC7]], i32 %[[OR3]], i32 3
// CHECK-NEXT: %[[VEC9:\w+]] = insertelement <8 x i32> %[[VEC8]], i32 262152, i32 4
// CHECK-NEXT: %[[VEC10:\w+]] = insertelement <8 x i32> %[[VEC9]], i32 %[[TRUNC3]], i32 5
// CHECK-NEXT: %[[VEC11:\w+]] = insertelement <8 x i32> %[[VEC10]], i32 %[[OR4]], i32 6
// CHECK-NEXT: %[[VEC12:\w+]] = insertelement <8 x i32> %[[VEC11]], i32 %[[TRUNC5]], i32 7
// CHECK-NEXT: %[[VEC13:\w+]] = insertelement <4 x i32> poison, i32 %[[SMAX1]], i32 0
// CHECK-NEXT: %[[VEC14:\w+]] = insertelement <4 x i32> %[[VEC13]], i32 0, i32 1
// CHECK-NEXT: %[[VEC15:\w+]] = insertelement <4 x i32> %[[VEC14]], i32 0, i32 2
// CHECK-NEXT: %[[VEC16:\w+]] = insertelement <4 x i32> %[[VEC15]], i32 0, i32 3
// CHECK-NEXT: %[[VEC17:\w+]] = insertelement <4 x i32> poison, i32 0, i32 0
// CHECK-NEXT: %[[VEC18:\w+]] = insertelement <4 x i32> %[[VEC17]], i32 0, i32 1
// CHECK-NEXT: %[[VEC19:\w+]] = insertelement <4 x i32> %[[VEC18]], i32 0, i32 2
// CHECK-NEXT: %[[VEC20:\w+]] = insertelement <4 x i32> %[[VEC19]], i32 0, i32 3
// CHECK-NEXT: call void @llvm.amdgcn.tensor.load.to.lds(<4 x i32> %[[VEC4]], <8 x i32> %[[VEC12]], <4 x i32> %[[VEC16]], <4 x i32> %[[VEC20]], i32 0)
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @three_dimensions(%p: !tt.ptr<i8>, %n: i32, %stride: i64, %zero: i32, %pred: i32) {
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%n, %n, %n], [%stride, %stride, %one] : <i8>, <tensor<4x8x64xi8>>
    %m = ttg.local_alloc : () -> !ttg.memdesc<4x8x64xi8, #s, #smem, mutable>
    %t = amdg.async_tdm_copy_global_to_local %d[%zero, %zero, %zero] into %m, %pred : !tt.tensordesc<tensor<4x8x64xi8>> -> !ttg.memdesc<4x8x64xi8, #s, #smem, mutable>
    tt.return
  }
}
