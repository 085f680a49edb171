// RUN: %lower %s | filecheck %s

// Conversions between scalars.
// CHECK-LABEL: define {{.*}} @scalars(
// CHECK: %[[A:\w+]] = fpext half %arg2 to float
// CHECK-NEXT: %[[B:\w+]] = fptrunc float %arg1 to half
// CHECK-NEXT: %[[C:\w+]] = sitofp i32 %arg0 to float
// CHECK-NEXT: %[[D:\w+]] = uitofp i32 %arg0 to float
// CHECK-NEXT: %[[E:\w+]] = fptosi float %arg1 to i32
// CHECK-NEXT: %[[F:\w+]] = sext i32 %arg0 to i64
// CHECK-NEXT: %[[G:\w+]] = zext i32 %arg0 to i64
// CHECK-NEXT: %[[J:\w+]] = trunc i32 %arg0 to i8
// CHECK-NEXT: %[[K:\w+]] = bitcast float %arg1 to i32
// CHECK-NEXT: %[[L:\w+]] = ptrtoint ptr addrspace(1) %arg3 to i64
// CHECK-NEXT: %[[M:\w+]] = inttoptr i64 %[[L]] to ptr addrspace(1)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scalars(%i: i32, %x: f32, %h: f16, %p: !tt.ptr<f32>) {
    %a = arith.extf %h : f16 to f32
    %b = arith.truncf %x : f32 to f16
    %c = arith.sitofp %i : i32 to f32
    %d = arith.uitofp %i : i32 to f32
    %e = arith.fptosi %x : f32 to i32
    %f = arith.extsi %i : i32 to i64
    %g = arith.extui %i : i32 to i64
    %j = arith.trunci %i : i32 to i8
    %k = tt.bitcast %x : f32 -> i32
    %l = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
    %m = tt.int_to_ptr %l : i64 -> !tt.ptr<i8>
    tt.return
  }
}

// -----

// Conversions of tensors to fp8 take registers in pairs.
// CHECK-LABEL: define {{.*}} @fp8(
// CHECK: %[[FF1:\w+]] = call i16 @llvm.nvvm.ff.to.e4m3x2.rn(float %[[X1:\w+]], float %[[X0:\w+]])
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i16 %[[FF1]] to i32
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast i32 %[[ZEXT1]] to <4 x i8>
// CHECK-NEXT: %[[Y0:\w+]] = extractelement <4 x i8> %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[Y1:\w+]] = extractelement <4 x i8> %[[BITCAST1]], i32 1
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x i8> %[[BITCAST1]], i32 2
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x i8> %[[BITCAST1]], i32 3
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @fp8(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %y = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32, #b> -> tensor<64xf8E4M3FN, #b>
    tt.return
  }
}
