// RUN: %lower %s | filecheck %s

// Each warp copies a part of the tile, by one instruction with a descriptor in scalar registers.
// CHECK-LABEL: define {{.*}} @load(
// CHECK: %[[READFIRSTLAN1:\w+]] = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %[[IN1:\w+]])
// CHECK: %[[READFIRSTLAN2:\w+]] = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %[[IN2:\w+]])
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[READFIRSTLAN2]], 8
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %arg3, %[[MUL1]]
// CHECK-NEXT: %[[MUL2:\w+]] = mul i32 %[[MUL1]], 128
// CHECK-NEXT: %[[SUB1:\w+]] = sub i32 %arg1, %[[ADD1]]
// CHECK-NEXT: %[[SMAX1:\w+]] = call i32 @llvm.smax.i32(i32 %[[SUB1]], i32 0)
// CHECK-NEXT: %[[SUB2:\w+]] = sub i32 %arg2, %arg4
// CHECK-NEXT: %[[SMAX2:\w+]] = call i32 @llvm.smax.i32(i32 %[[SUB2]], i32 0)
// CHECK-NEXT: %[[UDIV1:\w+]] = udiv i32 %[[MUL2]], 128
// CHECK-NEXT: %[[MUL3:\w+]] = mul i32 %[[UDIV1]], 16
// CHECK-NEXT: %[[ADD2:\w+]] = add i32 %[[MUL2]], %[[MUL3]]
// CHECK-NEXT: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) null to i32
// CHECK-NEXT: %[[ADD3:\w+]] = add i32 %[[PTRTOINT1]], %[[ADD2]]
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(1) %arg0 to i64
// CHECK-NEXT: %[[SEXT1:\w+]] = sext i32 %[[ADD1]] to i64
// CHECK-NEXT: %[[MUL4:\w+]] = mul i64 %[[SEXT1]], %[[STRIDE:\w+]]
// CHECK-NEXT: %[[MUL5:\w+]] = mul i64 %[[MUL4]], 2
// CHECK-NEXT: %[[ADD4:\w+]] = add i64 %[[PTRTOINT2]], %[[MUL5]]
// CHECK-NEXT: %[[SEXT2:\w+]] = sext i32 %arg4 to i64
// CHECK-NEXT: %[[MUL6:\w+]] = mul i64 %[[SEXT2]], 2
// CHECK-NEXT: %[[ADD5:\w+]] = add i64 %[[ADD4]], %[[MUL6]]
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %arg5, 3
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i64 %[[ADD5]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i64 %[[ADD5]], 32
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
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i32> %[[VEC1]], i32 %[[ADD3]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i32> %[[VEC2]], i32 %[[TRUNC1]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i32> %[[VEC3]], i32 %[[OR1]], i32 3
// CHECK-NEXT: %[[OR2:\w+]] = or i32 %[[SHL2]], %[[AND3]]
// CHECK-NEXT: %[[OR3:\w+]] = or i32 %[[AND4]], 4194304
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <8 x i32> poison, i32 118554624, i32 0
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <8 x i32> %[[VEC5]], i32 %[[SHL1]], i32 1
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <8 x i32> %[[VEC6]], i32 %[[OR2]], i32 2
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <8 x i32> %[[VEC7]], i32 %[[OR3]], i32 3
// CHECK-NEXT: %[[VEC9:\w+]] = insertelement <8 x i32> %[[VEC8]], i32 8, i32 4
// CHECK-NEXT: %[[VEC10:\w+]] = insertelement <8 x i32> %[[VEC9]], i32 %[[TRUNC3]], i32 5
// CHECK-NEXT: %[[VEC11:\w+]] = insertelement <8 x i32> %[[VEC10]], i32 %[[AND5]], i32 6
// CHECK-NEXT: %[[VEC12:\w+]] = insertelement <8 x i32> %[[VEC11]], i32 0, i32 7
// CHECK-NEXT: call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %[[VEC4]], <8 x i32> %[[VEC12]], i32 0)
// CHECK-NEXT: call void @llvm.amdgcn.s.wait.tensorcnt(i16 0)
#s = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [32, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @load(%p: !tt.ptr<f16>, %rows: i32, %columns: i32, %i: i32, %j: i32, %pred: i32) {
    %stride = arith.extsi %columns : i32 to i64
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %one] : <f16>, <tensor<32x64xf16>>
    %m = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>
    %t = amdg.async_tdm_copy_global_to_local %d[%i, %j] into %m, %pred : !tt.tensordesc<tensor<32x64xf16>> -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>
    %u = amdg.async_tdm_wait %t {num = 0 : i32}
    tt.return
  }
}

// -----

// One warp copies the whole tile; a store writes it back without a predicate.
// CHECK-LABEL: define {{.*}} @store(
// CHECK: %[[SUB1:\w+]] = sub i32 %arg1, %arg3
// CHECK-NEXT: %[[SMAX1:\w+]] = call i32 @llvm.smax.i32(i32 %[[SUB1]], i32 0)
// CHECK: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(3) null to i32
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(1) %arg0 to i64
// CHECK-NEXT: %[[SEXT1:\w+]] = sext i32 %arg3 to i64
// CHECK-NEXT: %[[MUL1:\w+]] = mul i64 %[[SEXT1]], %[[STRIDE:\w+]]
// CHECK-NEXT: %[[MUL2:\w+]] = mul i64 %[[MUL1]], 2
// CHECK-NEXT: %[[ADD1:\w+]] = add i64 %[[PTRTOINT2]], %[[MUL2]]
// CHECK: %[[TRUNC1:\w+]] = trunc i64 %[[IN1:\w+]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i64 %[[IN1]], 32
// CHECK: %[[AND1:\w+]] = and i32 %[[IN2:\w+]], 33554431
// CHECK-NEXT: %[[SHL1:\w+]] = shl i32 %[[IN3:\w+]], 16
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[IN3]], 16
// CHECK: %[[OR1:\w+]] = or i32 %[[AND1]], -2147483648
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <4 x i32> poison, i32 1, i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i32> %[[VEC1]], i32 %[[PTRTOINT1]], i32 1
// CHECK: %[[OR2:\w+]] = or i32 %[[IN4:\w+]], %[[IN5:\w+]]
// CHECK: %[[VEC3:\w+]] = insertelement <8 x i32> %[[IN6:\w+]], i32 32, i32 4
// CHECK: call void @llvm.amdgcn.tensor.store.from.lds.d2(<4 x i32> %[[IN7:\w+]], <8 x i32> %[[IN8:\w+]], i32 0)
// CHECK-NEXT: call void @llvm.amdgcn.s.wait.tensorcnt(i16 1)
#s = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [32, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @store(%p: !tt.ptr<f16>, %rows: i32, %columns: i32, %i: i32, %j: i32) {
    %stride = arith.extsi %columns : i32 to i64
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %one] : <f16>, <tensor<32x64xf16>>
    %m = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>
    amdg.async_tdm_copy_local_to_global %d[%i, %j] from %m : !ttg.memdesc<32x64xf16, #s, #smem, mutable> -> !tt.tensordesc<tensor<32x64xf16>>
    %u = amdg.async_tdm_intrinsic_wait {count = 1 : i32}
    tt.return
  }
}
