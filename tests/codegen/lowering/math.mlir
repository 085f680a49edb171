// RUN: %lower %s | filecheck %s

// Intrinsics, approximate instructions, and expansions of f32.
// CHECK-LABEL: define {{.*}} @f32(
// CHECK: %[[FMUL1:\w+]] = fmul float %arg0, 0x3FF7154760000000
// CHECK-NEXT: %[[A:\w+]] = call float @llvm.nvvm.ex2.approx.f(float %[[FMUL1]])
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp olt float %arg0, 0x3810000000000000
// CHECK-NEXT: %[[FMUL2:\w+]] = fmul float %arg0, 0x4160000000000000
// CHECK-NEXT: %[[SELECT1:\w+]] = select i1 %[[FCMP1]], float %[[FMUL2]], float %arg0
// CHECK-NEXT: %[[SELECT2:\w+]] = select i1 %[[FCMP1]], float 0xC037000000000000, float 0.0
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[SELECT1]] to i32
// CHECK-NEXT: %[[SUB1:\w+]] = sub i32 %[[BITCAST1]], 1060439283
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[SUB1]], -8388608
// CHECK-NEXT: %[[SUB2:\w+]] = sub i32 %[[BITCAST1]], %[[AND1]]
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[SUB2]] to float
// CHECK-NEXT: %[[FADD1:\w+]] = fadd float %[[BITCAST2]], -1.0
// CHECK-NEXT: %[[SITOFP1:\w+]] = sitofp i32 %[[AND1]] to float
// CHECK-NEXT: %[[FMA1:\w+]] = call float @llvm.fma.f32(float %[[SITOFP1]], float 0x3E80000000000000, float %[[SELECT2]])
// CHECK-NEXT: %[[FMA2:\w+]] = call float @llvm.fma.f32(float 0x3FB24DA9A0000000, float %[[FADD1]], float 0xBFBD9F4D60000000)
// CHECK-NEXT: %[[FMA3:\w+]] = call float @llvm.fma.f32(float %[[FMA2]], float %[[FADD1]], float 0x3FBDDA7CE0000000)
// CHECK-NEXT: %[[FMA4:\w+]] = call float @llvm.fma.f32(float %[[FMA3]], float %[[FADD1]], float 0xBFBFC5B4C0000000)
// CHECK-NEXT: %[[FMA5:\w+]] = call float @llvm.fma.f32(float %[[FMA4]], float %[[FADD1]], float 0x3FC23D6B60000000)
// CHECK-NEXT: %[[FMA6:\w+]] = call float @llvm.fma.f32(float %[[FMA5]], float %[[FADD1]], float 0xBFC555ED80000000)
// CHECK-NEXT: %[[FMA7:\w+]] = call float @llvm.fma.f32(float %[[FMA6]], float %[[FADD1]], float 0x3FC999D500000000)
// CHECK-NEXT: %[[FMA8:\w+]] = call float @llvm.fma.f32(float %[[FMA7]], float %[[FADD1]], float 0xBFCFFFFF20000000)
// CHECK-NEXT: %[[FMA9:\w+]] = call float @llvm.fma.f32(float %[[FMA8]], float %[[FADD1]], float 0x3FD5555540000000)
// CHECK-NEXT: %[[FMA10:\w+]] = call float @llvm.fma.f32(float %[[FMA9]], float %[[FADD1]], float 0xBFE0000000000000)
// CHECK-NEXT: %[[FMUL3:\w+]] = fmul float %[[FADD1]], %[[FADD1]]
// CHECK-NEXT: %[[FMA11:\w+]] = call float @llvm.fma.f32(float %[[FMA10]], float %[[FMUL3]], float %[[FADD1]])
// CHECK-NEXT: %[[FMA12:\w+]] = call float @llvm.fma.f32(float %[[FMA1]], float 0x3FE62E4300000000, float %[[FMA11]])
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %arg0 to i32
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp uge i32 %[[BITCAST3]], 2139095040
// CHECK-NEXT: %[[FMA13:\w+]] = call float @llvm.fma.f32(float %arg0, float 0x7FF0000000000000, float 0x7FF0000000000000)
// CHECK-NEXT: %[[SELECT3:\w+]] = select i1 %[[ICMP1]], float %[[FMA13]], float %[[FMA12]]
// CHECK-NEXT: %[[FCMP2:\w+]] = fcmp oeq float %arg0, 0.0
// CHECK-NEXT: %[[B:\w+]] = select i1 %[[FCMP2]], float 0xFFF0000000000000, float %[[SELECT3]]
// CHECK-NEXT: %[[C:\w+]] = call float @llvm.nvvm.sqrt.approx.ftz.f(float %arg0)
// CHECK-NEXT: %[[D:\w+]] = call float @llvm.nvvm.ex2.approx.ftz.f(float %arg0)
// CHECK-NEXT: %[[E:\w+]] = call float @llvm.nvvm.rsqrt.approx.ftz.f(float %arg0)
// CHECK-NEXT: %[[F:\w+]] = call float @llvm.sqrt.f32(float %arg0)
// CHECK-NEXT: %[[G:\w+]] = call float @llvm.fabs.f32(float %arg0)
// CHECK-NEXT: %[[H:\w+]] = call i32 @llvm.abs.i32(i32 %arg1, i1 false)
// CHECK-NEXT: %[[J:\w+]] = call float @llvm.fma.f32(float %arg0, float %arg0, float %arg0)
// CHECK-NEXT: %[[K:\w+]] = call float @llvm.floor.f32(float %arg0)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f32(%x: f32, %i: i32) {
    %a = math.exp %x : f32
    %b = math.log %x : f32
    %c = math.sqrt %x : f32
    %d = math.exp2 %x : f32
    %e = math.rsqrt %x : f32
    %f = tt.precise_sqrt %x : f32
    %g = math.absf %x : f32
    %h = math.absi %i : i32
    %j = math.fma %x, %x, %x : f32
    %k = math.floor %x : f32
    tt.return
  }
}

// -----

// AMD's hardware has exp2 and log2. f16 is computed as f32.
// CHECK-LABEL: define {{.*}} @amd(
// CHECK: %[[FMUL1:\w+]] = fmul float %arg0, 0x3FF7154760000000
// CHECK-NEXT: %[[A:\w+]] = call float @llvm.exp2.f32(float %[[FMUL1]])
// CHECK-NEXT: %[[C:\w+]] = call float @llvm.amdgcn.sqrt.f32(float %arg0)
// CHECK-NEXT: %[[D:\w+]] = call float @llvm.log2.f32(float %arg0)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amd(%x: f32, %y: f16) {
    %a = math.exp %x : f32
    %c = math.sqrt %x : f32
    %d = math.log2 %x : f32
    %h = math.exp2 %y : f16
    tt.return
  }
}
