// RUN: %lower %s | filecheck %s

// Cody-Waite reduction by three constants; arguments from 65536 on are reduced by integers
// (Payne-Hanek), in a branch.
// CHECK-LABEL: define {{.*}} @sin(
// CHECK: %[[FMA1:\w+]] = call float @llvm.fma.f32(float %arg0, float 0x3FE45F3060000000, float 0x4168000000000000)
// CHECK-NEXT: %[[FSUB1:\w+]] = fsub float %[[FMA1]], 0x4168000000000000
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[FMA1]] to i32
// CHECK-NEXT: %[[FMA2:\w+]] = call float @llvm.fma.f32(float %[[FSUB1]], float 0xBFF921FB40000000, float %arg0)
// CHECK-NEXT: %[[FMA3:\w+]] = call float @llvm.fma.f32(float %[[FSUB1]], float 0xBE74442D00000000, float %[[FMA2]])
// CHECK-NEXT: %[[FMA4:\w+]] = call float @llvm.fma.f32(float %[[FSUB1]], float 0xBCF84698A0000000, float %[[FMA3]])
// CHECK-NEXT: %[[FABS1:\w+]] = call float @llvm.fabs.f32(float %arg0)
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp olt float %[[FABS1]], 0x40F0000000000000
// CHECK-NEXT: br i1 %[[FCMP1]], label %reduced.2, label %large.1
// CHECK-NEXT: large.1:
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast float %arg0 to i32
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[BITCAST2]], 2147483647
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[BITCAST2]], 8388607
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[AND2]], 8388608
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[AND1]], 23
// CHECK-NEXT: %[[SUB1:\w+]] = sub i32 %[[LSHR1]], 120
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[SUB1]], 5
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp eq i32 %[[LSHR2]], 1
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp eq i32 %[[LSHR2]], 2
// CHECK: %[[SELECT1:\w+]] = select i1 %[[ICMP1]], i64 2734261102, i64 0
// CHECK-NEXT: %[[SELECT2:\w+]] = select i1 %[[ICMP2]], i64 1313084713, i64 %[[SELECT1]]
// CHECK-NEXT: %[[SELECT3:\w+]] = select i1 %[[IN1:\w+]], i64 4230436817, i64 %[[SELECT2]]
// CHECK: %[[SELECT4:\w+]] = select i1 %[[ICMP1]], i64 1313084713, i64 2734261102
// CHECK: %[[ZEXT1:\w+]] = zext i32 %[[IN2:\w+]] to i64
// CHECK-NEXT: %[[SHL1:\w+]] = shl i64 %[[IN3:\w+]], 32
// CHECK-NEXT: %[[OR2:\w+]] = or i64 %[[SHL1]], %[[IN4:\w+]]
// CHECK-NEXT: %[[SHL2:\w+]] = shl i64 %[[OR2]], %[[ZEXT1]]
// CHECK-NEXT: %[[LSHR3:\w+]] = lshr i64 %[[SHL2]], 32
// CHECK-NEXT: %[[SHL3:\w+]] = shl i64 %[[IN4]], 32
// CHECK-NEXT: %[[OR3:\w+]] = or i64 %[[SHL3]], %[[IN5:\w+]]
// CHECK-NEXT: %[[SHL4:\w+]] = shl i64 %[[OR3]], %[[ZEXT1]]
// CHECK-NEXT: %[[LSHR4:\w+]] = lshr i64 %[[SHL4]], 32
// CHECK: %[[ZEXT2:\w+]] = zext i32 %[[OR1]] to i64
// CHECK-NEXT: %[[MUL1:\w+]] = mul i64 %[[ZEXT2]], %[[LSHR3]]
// CHECK-NEXT: %[[MUL2:\w+]] = mul i64 %[[ZEXT2]], %[[LSHR4]]
// CHECK: %[[ADD1:\w+]] = add i64 %[[IN6:\w+]], %[[MUL2]]
// CHECK: %[[ADD2:\w+]] = add i64 %[[ADD1]], %[[IN7:\w+]]
// CHECK-NEXT: %[[ADD3:\w+]] = add i64 %[[ADD2]], 2305843009213693952
// CHECK: %[[TRUNC1:\w+]] = trunc i64 %[[IN8:\w+]] to i32
// CHECK-NEXT: %[[AND3:\w+]] = and i64 %[[ADD3]], -4611686018427387904
// CHECK-NEXT: %[[SUB2:\w+]] = sub i64 %[[ADD2]], %[[AND3]]
// CHECK-NEXT: %[[SITOFP1:\w+]] = sitofp i64 %[[SUB2]] to double
// CHECK-NEXT: %[[FMUL1:\w+]] = fmul double %[[SITOFP1]], 0x3C1921FB54442D18
// CHECK-NEXT: %[[FPTRUNC1:\w+]] = fptrunc double %[[FMUL1]] to float
// CHECK-NEXT: %[[ICMP3:\w+]] = icmp slt i32 %[[BITCAST2]], 0
// CHECK-NEXT: %[[FNEG1:\w+]] = fneg float %[[FPTRUNC1]]
// CHECK-NEXT: %[[SELECT5:\w+]] = select i1 %[[ICMP3]], float %[[FNEG1]], float %[[FPTRUNC1]]
// CHECK-NEXT: %[[SUB3:\w+]] = sub i32 0, %[[TRUNC1]]
// CHECK-NEXT: %[[SELECT6:\w+]] = select i1 %[[ICMP3]], i32 %[[SUB3]], i32 %[[TRUNC1]]
// CHECK-NEXT: %[[ICMP4:\w+]] = icmp ult i32 %[[AND1]], 2139095040
// CHECK-NEXT: %[[SELECT7:\w+]] = select i1 %[[ICMP4]], float %[[SELECT5]], float 0x7FF8000000000000
// CHECK-NEXT: br label %reduced.2
// CHECK-NEXT: reduced.2:
// CHECK-NEXT: %[[PHI1:\w+]] = phi float [ %[[FMA4]], %body ], [ %[[SELECT7]], %large.1 ]
// CHECK-NEXT: %[[PHI2:\w+]] = phi i32 [ %[[BITCAST1]], %body ], [ %[[SELECT6]], %large.1 ]
// CHECK-NEXT: %[[FMUL2:\w+]] = fmul float %[[PHI1]], %[[PHI1]]
// CHECK-NEXT: %[[FMA5:\w+]] = call float @llvm.fma.f32(float 0xBF29AAEA80000000, float %[[FMUL2]], float 0x3F8110BF60000000)
// CHECK-NEXT: %[[FMA6:\w+]] = call float @llvm.fma.f32(float %[[FMA5]], float %[[FMUL2]], float 0xBFC5555520000000)
// CHECK-NEXT: %[[FMA7:\w+]] = call float @llvm.fma.f32(float %[[FMA6]], float %[[FMUL2]], float 0x0000000000000000)
// CHECK-NEXT: %[[FMA8:\w+]] = call float @llvm.fma.f32(float %[[FMA7]], float %[[PHI1]], float %[[PHI1]])
// CHECK-NEXT: %[[FMA9:\w+]] = call float @llvm.fma.f32(float 0x3EF9BC2F00000000, float %[[FMUL2]], float 0xBF56C12AA0000000)
// CHECK-NEXT: %[[FMA10:\w+]] = call float @llvm.fma.f32(float %[[FMA9]], float %[[FMUL2]], float 0x3FA5555540000000)
// CHECK-NEXT: %[[FMA11:\w+]] = call float @llvm.fma.f32(float %[[FMA10]], float %[[FMUL2]], float 0xBFE0000000000000)
// CHECK-NEXT: %[[FMA12:\w+]] = call float @llvm.fma.f32(float %[[FMA11]], float %[[FMUL2]], float 0x3FF0000000000000)
// CHECK-NEXT: %[[TRUNC2:\w+]] = trunc i32 %[[PHI2]] to i1
// CHECK-NEXT: %[[SELECT8:\w+]] = select i1 %[[TRUNC2]], float %[[FMA12]], float %[[FMA8]]
// CHECK-NEXT: %[[SHL5:\w+]] = shl i32 %[[PHI2]], 30
// CHECK: %[[XOR1:\w+]] = xor i32 %[[IN9:\w+]], %[[IN10:\w+]]
// CHECK-NEXT: %[[A:\w+]] = bitcast i32 %[[XOR1]] to float
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @sin(%x: f32) {
    %a = math.sin %x : f32
    tt.return
  }
}

// -----

// The cosine is the sine a quarter period later.
// CHECK-LABEL: define {{.*}} @cos(
// CHECK: %[[FMA1:\w+]] = call float @llvm.fma.f32(float %arg0, float 0x3FE45F3060000000, float 0x4168000000000000)
// CHECK-NEXT: %[[FSUB1:\w+]] = fsub float %[[FMA1]], 0x4168000000000000
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[FMA1]] to i32
// CHECK-NEXT: %[[FMA2:\w+]] = call float @llvm.fma.f32(float %[[FSUB1]], float 0xBFF921FB40000000, float %arg0)
// CHECK-NEXT: %[[FMA3:\w+]] = call float @llvm.fma.f32(float %[[FSUB1]], float 0xBE74442D00000000, float %[[FMA2]])
// CHECK-NEXT: %[[FMA4:\w+]] = call float @llvm.fma.f32(float %[[FSUB1]], float 0xBCF84698A0000000, float %[[FMA3]])
// CHECK-NEXT: %[[FABS1:\w+]] = call float @llvm.fabs.f32(float %arg0)
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp olt float %[[FABS1]], 0x40F0000000000000
// CHECK-NEXT: br i1 %[[FCMP1]], label %reduced.2, label %large.1
// CHECK-NEXT: large.1:
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast float %arg0 to i32
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[BITCAST2]], 2147483647
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[BITCAST2]], 8388607
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[AND2]], 8388608
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[AND1]], 23
// CHECK-NEXT: %[[SUB1:\w+]] = sub i32 %[[LSHR1]], 120
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[SUB1]], 5
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp eq i32 %[[LSHR2]], 1
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp eq i32 %[[LSHR2]], 2
// CHECK: %[[SELECT1:\w+]] = select i1 %[[ICMP1]], i64 2734261102, i64 0
// CHECK-NEXT: %[[SELECT2:\w+]] = select i1 %[[ICMP2]], i64 1313084713, i64 %[[SELECT1]]
// CHECK-NEXT: %[[SELECT3:\w+]] = select i1 %[[IN1:\w+]], i64 4230436817, i64 %[[SELECT2]]
// CHECK: %[[SELECT4:\w+]] = select i1 %[[ICMP1]], i64 1313084713, i64 2734261102
// CHECK: %[[ZEXT1:\w+]] = zext i32 %[[IN2:\w+]] to i64
// CHECK-NEXT: %[[SHL1:\w+]] = shl i64 %[[IN3:\w+]], 32
// CHECK-NEXT: %[[OR2:\w+]] = or i64 %[[SHL1]], %[[IN4:\w+]]
// CHECK-NEXT: %[[SHL2:\w+]] = shl i64 %[[OR2]], %[[ZEXT1]]
// CHECK-NEXT: %[[LSHR3:\w+]] = lshr i64 %[[SHL2]], 32
// CHECK-NEXT: %[[SHL3:\w+]] = shl i64 %[[IN4]], 32
// CHECK-NEXT: %[[OR3:\w+]] = or i64 %[[SHL3]], %[[IN5:\w+]]
// CHECK-NEXT: %[[SHL4:\w+]] = shl i64 %[[OR3]], %[[ZEXT1]]
// CHECK-NEXT: %[[LSHR4:\w+]] = lshr i64 %[[SHL4]], 32
// CHECK: %[[ZEXT2:\w+]] = zext i32 %[[OR1]] to i64
// CHECK-NEXT: %[[MUL1:\w+]] = mul i64 %[[ZEXT2]], %[[LSHR3]]
// CHECK-NEXT: %[[MUL2:\w+]] = mul i64 %[[ZEXT2]], %[[LSHR4]]
// CHECK: %[[ADD1:\w+]] = add i64 %[[IN6:\w+]], %[[MUL2]]
// CHECK: %[[ADD2:\w+]] = add i64 %[[ADD1]], %[[IN7:\w+]]
// CHECK-NEXT: %[[ADD3:\w+]] = add i64 %[[ADD2]], 2305843009213693952
// CHECK: %[[TRUNC1:\w+]] = trunc i64 %[[IN8:\w+]] to i32
// CHECK-NEXT: %[[AND3:\w+]] = and i64 %[[ADD3]], -4611686018427387904
// CHECK-NEXT: %[[SUB2:\w+]] = sub i64 %[[ADD2]], %[[AND3]]
// CHECK-NEXT: %[[SITOFP1:\w+]] = sitofp i64 %[[SUB2]] to double
// CHECK-NEXT: %[[FMUL1:\w+]] = fmul double %[[SITOFP1]], 0x3C1921FB54442D18
// CHECK-NEXT: %[[FPTRUNC1:\w+]] = fptrunc double %[[FMUL1]] to float
// CHECK-NEXT: %[[ICMP3:\w+]] = icmp slt i32 %[[BITCAST2]], 0
// CHECK-NEXT: %[[FNEG1:\w+]] = fneg float %[[FPTRUNC1]]
// CHECK-NEXT: %[[SELECT5:\w+]] = select i1 %[[ICMP3]], float %[[FNEG1]], float %[[FPTRUNC1]]
// CHECK-NEXT: %[[SUB3:\w+]] = sub i32 0, %[[TRUNC1]]
// CHECK-NEXT: %[[SELECT6:\w+]] = select i1 %[[ICMP3]], i32 %[[SUB3]], i32 %[[TRUNC1]]
// CHECK-NEXT: %[[ICMP4:\w+]] = icmp ult i32 %[[AND1]], 2139095040
// CHECK-NEXT: %[[SELECT7:\w+]] = select i1 %[[ICMP4]], float %[[SELECT5]], float 0x7FF8000000000000
// CHECK-NEXT: br label %reduced.2
// CHECK-NEXT: reduced.2:
// CHECK-NEXT: %[[PHI1:\w+]] = phi float [ %[[FMA4]], %body ], [ %[[SELECT7]], %large.1 ]
// CHECK-NEXT: %[[PHI2:\w+]] = phi i32 [ %[[BITCAST1]], %body ], [ %[[SELECT6]], %large.1 ]
// CHECK-NEXT: %[[ADD4:\w+]] = add i32 %[[PHI2]], 1
// CHECK-NEXT: %[[FMUL2:\w+]] = fmul float %[[PHI1]], %[[PHI1]]
// CHECK-NEXT: %[[FMA5:\w+]] = call float @llvm.fma.f32(float 0xBF29AAEA80000000, float %[[FMUL2]], float 0x3F8110BF60000000)
// CHECK-NEXT: %[[FMA6:\w+]] = call float @llvm.fma.f32(float %[[FMA5]], float %[[FMUL2]], float 0xBFC5555520000000)
// CHECK-NEXT: %[[FMA7:\w+]] = call float @llvm.fma.f32(float %[[FMA6]], float %[[FMUL2]], float 0x0000000000000000)
// CHECK-NEXT: %[[FMA8:\w+]] = call float @llvm.fma.f32(float %[[FMA7]], float %[[PHI1]], float %[[PHI1]])
// CHECK-NEXT: %[[FMA9:\w+]] = call float @llvm.fma.f32(float 0x3EF9BC2F00000000, float %[[FMUL2]], float 0xBF56C12AA0000000)
// CHECK-NEXT: %[[FMA10:\w+]] = call float @llvm.fma.f32(float %[[FMA9]], float %[[FMUL2]], float 0x3FA5555540000000)
// CHECK-NEXT: %[[FMA11:\w+]] = call float @llvm.fma.f32(float %[[FMA10]], float %[[FMUL2]], float 0xBFE0000000000000)
// CHECK-NEXT: %[[FMA12:\w+]] = call float @llvm.fma.f32(float %[[FMA11]], float %[[FMUL2]], float 0x3FF0000000000000)
// CHECK-NEXT: %[[TRUNC2:\w+]] = trunc i32 %[[ADD4]] to i1
// CHECK-NEXT: %[[SELECT8:\w+]] = select i1 %[[TRUNC2]], float %[[FMA12]], float %[[FMA8]]
// CHECK-NEXT: %[[SHL5:\w+]] = shl i32 %[[ADD4]], 30
// CHECK: %[[XOR1:\w+]] = xor i32 %[[IN9:\w+]], %[[IN10:\w+]]
// CHECK-NEXT: %[[A:\w+]] = bitcast i32 %[[XOR1]] to float
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @cos(%x: f32) {
    %a = math.cos %x : f32
    tt.return
  }
}
