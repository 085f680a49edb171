// RUN: %lower %s | filecheck %s

// A byte has two elements; the lower half is the first.
// CHECK-LABEL: define {{.*}} @fp4(
// CHECK: %[[VEC1:\w+]] = insertelement <4 x i8> poison, i8 %[[X0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i8> %[[VEC1]], i8 %[[X1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i8> %[[VEC2]], i8 %[[X2:\w+]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i8> %[[VEC3]], i8 %[[X3:\w+]], i32 3
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <4 x i8> %[[VEC4]] to i32
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[BITCAST1]], 2004318071
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[BITCAST1]], 3
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR1]], 286331153
// CHECK-NEXT: %[[PRMT1:\w+]] = call i32 @llvm.nvvm.prmt(i32 1061109504, i32 1077952576, i32 %[[AND1]])
// CHECK-NEXT: %[[PRMT2:\w+]] = call i32 @llvm.nvvm.prmt(i32 32768, i32 0, i32 %[[AND2]])
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[PRMT1]], %[[PRMT2]]
// CHECK-NEXT: %[[PRMT3:\w+]] = call i32 @llvm.nvvm.prmt(i32 3229614080, i32 3229630464, i32 %[[AND1]])
// CHECK-NEXT: %[[PRMT4:\w+]] = call i32 @llvm.nvvm.prmt(i32 %[[PRMT3]], i32 %[[OR1]], i32 20800)
// CHECK-NEXT: %[[PRMT5:\w+]] = call i32 @llvm.nvvm.prmt(i32 %[[PRMT3]], i32 %[[OR1]], i32 29538)
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[AND1]], 16
// CHECK-NEXT: %[[LSHR3:\w+]] = lshr i32 %[[AND2]], 16
// CHECK-NEXT: %[[PRMT6:\w+]] = call i32 @llvm.nvvm.prmt(i32 1061109504, i32 1077952576, i32 %[[LSHR2]])
// CHECK-NEXT: %[[PRMT7:\w+]] = call i32 @llvm.nvvm.prmt(i32 32768, i32 0, i32 %[[LSHR3]])
// CHECK-NEXT: %[[OR2:\w+]] = or i32 %[[PRMT6]], %[[PRMT7]]
// CHECK-NEXT: %[[PRMT8:\w+]] = call i32 @llvm.nvvm.prmt(i32 3229614080, i32 3229630464, i32 %[[LSHR2]])
// CHECK-NEXT: %[[PRMT9:\w+]] = call i32 @llvm.nvvm.prmt(i32 %[[PRMT8]], i32 %[[OR2]], i32 20800)
// CHECK-NEXT: %[[PRMT10:\w+]] = call i32 @llvm.nvvm.prmt(i32 %[[PRMT8]], i32 %[[OR2]], i32 29538)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[PRMT4]] to <2 x bfloat>
// CHECK-NEXT: %[[Y0:\w+]] = extractelement <2 x bfloat> %[[BITCAST2]], i32 0
// CHECK-NEXT: %[[Y1:\w+]] = extractelement <2 x bfloat> %[[BITCAST2]], i32 1
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast i32 %[[PRMT5]] to <2 x bfloat>
// CHECK-NEXT: %[[Y2:\w+]] = extractelement <2 x bfloat> %[[BITCAST3]], i32 0
// CHECK-NEXT: %[[Y3:\w+]] = extractelement <2 x bfloat> %[[BITCAST3]], i32 1
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[PRMT9]] to <2 x bfloat>
// CHECK-NEXT: %[[Y4:\w+]] = extractelement <2 x bfloat> %[[BITCAST4]], i32 0
// CHECK-NEXT: %[[Y5:\w+]] = extractelement <2 x bfloat> %[[BITCAST4]], i32 1
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast i32 %[[PRMT10]] to <2 x bfloat>
// CHECK-NEXT: %[[Y6:\w+]] = extractelement <2 x bfloat> %[[BITCAST5]], i32 0
// CHECK-NEXT: %[[Y7:\w+]] = extractelement <2 x bfloat> %[[BITCAST5]], i32 1
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @fp4(%x_ptr: !tt.ptr<i8>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i8> -> tensor<32x4x!tt.ptr<i8>, #b>
    %x = tt.load %x_ptrs : tensor<32x4x!tt.ptr<i8>, #b>
    %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<32x4xi8, #b> -> tensor<32x8xbf16, #c>
    tt.return
  }
}

// -----

// gfx950 converts and scales by one instruction.
// CHECK-LABEL: define {{.*}} @scaled_fp8(
// CHECK: %[[VEC1:\w+]] = insertelement <4 x i8> poison, i8 %[[X0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i8> %[[VEC1]], i8 %[[X1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i8> %[[VEC2]], i8 %[[X2:\w+]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i8> %[[VEC3]], i8 %[[X3:\w+]], i32 3
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <4 x i8> %[[VEC4]] to i32
// CHECK-NEXT: %[[CVT1:\w+]] = call <2 x float> @llvm.amdgcn.cvt.scalef32.pk.f32.fp8(i32 %[[BITCAST1]], float 1.0, i1 false)
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x float> %[[CVT1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x float> %[[CVT1]], i32 1
// CHECK-NEXT: %[[CVT2:\w+]] = call <2 x float> @llvm.amdgcn.cvt.scalef32.pk.f32.fp8(i32 %[[BITCAST1]], float 1.0, i1 true)
// CHECK-NEXT: %[[ELT3:\w+]] = extractelement <2 x float> %[[CVT2]], i32 0
// CHECK-NEXT: %[[ELT4:\w+]] = extractelement <2 x float> %[[CVT2]], i32 1
// CHECK-NEXT: %[[FPEXT1:\w+]] = fpext bfloat %[[S0:\w+]] to float
// CHECK-NEXT: %[[FMUL1:\w+]] = fmul float %[[ELT1]], %[[FPEXT1]]
// CHECK-NEXT: %[[FPEXT2:\w+]] = fpext bfloat %[[S1:\w+]] to float
// CHECK-NEXT: %[[FMUL2:\w+]] = fmul float %[[ELT2]], %[[FPEXT2]]
// CHECK-NEXT: %[[FPEXT3:\w+]] = fpext bfloat %[[S2:\w+]] to float
// CHECK-NEXT: %[[FMUL3:\w+]] = fmul float %[[ELT3]], %[[FPEXT3]]
// CHECK-NEXT: %[[FPEXT4:\w+]] = fpext bfloat %[[S3:\w+]] to float
// CHECK-NEXT: %[[FMUL4:\w+]] = fmul float %[[ELT4]], %[[FPEXT4]]
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <2 x float> poison, float %[[FMUL1]], i32 0
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <2 x float> %[[VEC5]], float %[[FMUL2]], i32 1
// CHECK-NEXT: %[[FPTRUNC1:\w+]] = fptrunc <2 x float> %[[VEC6]] to <2 x bfloat>
// CHECK-NEXT: %[[Y0:\w+]] = extractelement <2 x bfloat> %[[FPTRUNC1]], i32 0
// CHECK-NEXT: %[[Y1:\w+]] = extractelement <2 x bfloat> %[[FPTRUNC1]], i32 1
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <2 x float> poison, float %[[FMUL3]], i32 0
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <2 x float> %[[VEC7]], float %[[FMUL4]], i32 1
// CHECK-NEXT: %[[FPTRUNC2:\w+]] = fptrunc <2 x float> %[[VEC8]] to <2 x bfloat>
// CHECK-NEXT: %[[Y2:\w+]] = extractelement <2 x bfloat> %[[FPTRUNC2]], i32 0
// CHECK-NEXT: %[[Y3:\w+]] = extractelement <2 x bfloat> %[[FPTRUNC2]], i32 1
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [64, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @scaled_fp8(%x_ptr: !tt.ptr<f8E4M3FN>, %s_ptr: !tt.ptr<bf16>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f8E4M3FN> -> tensor<64x4x!tt.ptr<f8E4M3FN>, #b>
    %x = tt.load %x_ptrs : tensor<64x4x!tt.ptr<f8E4M3FN>, #b>
    %s_ptrs = tt.splat %s_ptr : !tt.ptr<bf16> -> tensor<64x4x!tt.ptr<bf16>, #b>
    %s = tt.load %s_ptrs : tensor<64x4x!tt.ptr<bf16>, #b>
    %y = amdg.scaled_upcast_fp8 %x scale %s : tensor<64x4xf8E4M3FN, #b>, tensor<64x4xbf16, #b> -> tensor<64x4xbf16, #b>
    tt.return
  }
}

// -----

// gfx942 looks the bytes of bf16 up in tables held by v_perm_b32.
// CHECK-LABEL: define {{.*}} @table_bf16(
// CHECK: %[[VEC1:\w+]] = insertelement <4 x i8> poison, i8 %[[X0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i8> %[[VEC1]], i8 %[[X1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i8> %[[VEC2]], i8 %[[X2:\w+]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i8> %[[VEC3]], i8 %[[X3:\w+]], i32 3
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <4 x i8> %[[VEC4]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[BITCAST1]], 4
// CHECK-NEXT: %[[SHL1:\w+]] = shl i32 %[[BITCAST1]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[BITCAST1]], 117901063
// CHECK-NEXT: %[[PERM1:\w+]] = call i32 @llvm.amdgcn.perm(i32 1077952576, i32 1061109504, i32 %[[AND1]])
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL1]], -2139062144
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[PERM1]], %[[AND2]]
// CHECK-NEXT: %[[PERM2:\w+]] = call i32 @llvm.amdgcn.perm(i32 3229630464, i32 3229614080, i32 %[[AND1]])
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[LSHR1]], 117901063
// CHECK-NEXT: %[[PERM3:\w+]] = call i32 @llvm.amdgcn.perm(i32 1077952576, i32 1061109504, i32 %[[AND3]])
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[BITCAST1]], -2139062144
// CHECK-NEXT: %[[OR2:\w+]] = or i32 %[[PERM3]], %[[AND4]]
// CHECK-NEXT: %[[PERM4:\w+]] = call i32 @llvm.amdgcn.perm(i32 3229630464, i32 3229614080, i32 %[[AND3]])
// CHECK-NEXT: %[[PERM5:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[OR1]], i32 %[[PERM2]], i32 83952640)
// CHECK-NEXT: %[[PERM6:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[OR2]], i32 %[[PERM4]], i32 83952640)
// CHECK-NEXT: %[[PERM7:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[PERM6]], i32 %[[PERM5]], i32 84148480)
// CHECK-NEXT: %[[PERM8:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[PERM6]], i32 %[[PERM5]], i32 117834498)
// CHECK-NEXT: %[[PERM9:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[OR1]], i32 %[[PERM2]], i32 117638658)
// CHECK-NEXT: %[[PERM10:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[OR2]], i32 %[[PERM4]], i32 117638658)
// CHECK-NEXT: %[[PERM11:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[PERM10]], i32 %[[PERM9]], i32 84148480)
// CHECK-NEXT: %[[PERM12:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[PERM10]], i32 %[[PERM9]], i32 117834498)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[PERM7]] to <2 x bfloat>
// CHECK-NEXT: %[[Y0:\w+]] = extractelement <2 x bfloat> %[[BITCAST2]], i32 0
// CHECK-NEXT: %[[Y1:\w+]] = extractelement <2 x bfloat> %[[BITCAST2]], i32 1
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast i32 %[[PERM8]] to <2 x bfloat>
// CHECK-NEXT: %[[Y2:\w+]] = extractelement <2 x bfloat> %[[BITCAST3]], i32 0
// CHECK-NEXT: %[[Y3:\w+]] = extractelement <2 x bfloat> %[[BITCAST3]], i32 1
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[PERM11]] to <2 x bfloat>
// CHECK-NEXT: %[[Y4:\w+]] = extractelement <2 x bfloat> %[[BITCAST4]], i32 0
// CHECK-NEXT: %[[Y5:\w+]] = extractelement <2 x bfloat> %[[BITCAST4]], i32 1
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast i32 %[[PERM12]] to <2 x bfloat>
// CHECK-NEXT: %[[Y6:\w+]] = extractelement <2 x bfloat> %[[BITCAST5]], i32 0
// CHECK-NEXT: %[[Y7:\w+]] = extractelement <2 x bfloat> %[[BITCAST5]], i32 1
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [64, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [64, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @table_bf16(%x_ptr: !tt.ptr<i8>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i8> -> tensor<64x4x!tt.ptr<i8>, #b>
    %x = tt.load %x_ptrs : tensor<64x4x!tt.ptr<i8>, #b>
    %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x4xi8, #b> -> tensor<64x8xbf16, #c>
    tt.return
  }
}

// -----

// The lower bytes of f16 are zero, so only the upper ones are looked up.
// CHECK-LABEL: define {{.*}} @table_f16(
// CHECK: %[[VEC1:\w+]] = insertelement <4 x i8> poison, i8 %[[X0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i8> %[[VEC1]], i8 %[[X1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i8> %[[VEC2]], i8 %[[X2:\w+]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i8> %[[VEC3]], i8 %[[X3:\w+]], i32 3
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <4 x i8> %[[VEC4]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[BITCAST1]], 4
// CHECK-NEXT: %[[SHL1:\w+]] = shl i32 %[[BITCAST1]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[BITCAST1]], 117901063
// CHECK-NEXT: %[[PERM1:\w+]] = call i32 @llvm.amdgcn.perm(i32 1178878528, i32 1044133888, i32 %[[AND1]])
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL1]], -2139062144
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[PERM1]], %[[AND2]]
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[LSHR1]], 117901063
// CHECK-NEXT: %[[PERM2:\w+]] = call i32 @llvm.amdgcn.perm(i32 1178878528, i32 1044133888, i32 %[[AND3]])
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[BITCAST1]], -2139062144
// CHECK-NEXT: %[[OR2:\w+]] = or i32 %[[PERM2]], %[[AND4]]
// CHECK-NEXT: %[[PERM3:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[OR2]], i32 %[[OR1]], i32 67895308)
// CHECK-NEXT: %[[PERM4:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[OR2]], i32 %[[OR1]], i32 84672780)
// CHECK-NEXT: %[[PERM5:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[OR2]], i32 %[[OR1]], i32 101450252)
// CHECK-NEXT: %[[PERM6:\w+]] = call i32 @llvm.amdgcn.perm(i32 %[[OR2]], i32 %[[OR1]], i32 118227724)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[PERM3]] to <2 x half>
// CHECK-NEXT: %[[Y0:\w+]] = extractelement <2 x half> %[[BITCAST2]], i32 0
// CHECK-NEXT: %[[Y1:\w+]] = extractelement <2 x half> %[[BITCAST2]], i32 1
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast i32 %[[PERM4]] to <2 x half>
// CHECK-NEXT: %[[Y2:\w+]] = extractelement <2 x half> %[[BITCAST3]], i32 0
// CHECK-NEXT: %[[Y3:\w+]] = extractelement <2 x half> %[[BITCAST3]], i32 1
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[PERM5]] to <2 x half>
// CHECK-NEXT: %[[Y4:\w+]] = extractelement <2 x half> %[[BITCAST4]], i32 0
// CHECK-NEXT: %[[Y5:\w+]] = extractelement <2 x half> %[[BITCAST4]], i32 1
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast i32 %[[PERM6]] to <2 x half>
// CHECK-NEXT: %[[Y6:\w+]] = extractelement <2 x half> %[[BITCAST5]], i32 0
// CHECK-NEXT: %[[Y7:\w+]] = extractelement <2 x half> %[[BITCAST5]], i32 1
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [64, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [64, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @table_f16(%x_ptr: !tt.ptr<i8>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i8> -> tensor<64x4x!tt.ptr<i8>, #b>
    %x = tt.load %x_ptrs : tensor<64x4x!tt.ptr<i8>, #b>
    %y = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<64x4xi8, #b> -> tensor<64x8xf16, #c>
    tt.return
  }
}
