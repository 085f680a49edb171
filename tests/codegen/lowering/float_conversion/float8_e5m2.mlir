// RUN: %lower %s | filecheck %s

// e5m2 is the upper byte of f16: widening is a permutation of bytes.
// CHECK-LABEL: define {{.*}} @from_e5m2(
// CHECK: %[[VEC1:\w+]] = insertelement <4 x i8> poison, i8 %[[X0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i8> %[[VEC1]], i8 %[[X1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i8> %[[VEC2]], i8 %[[X2:\w+]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i8> %[[VEC3]], i8 %[[X3:\w+]], i32 3
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <4 x i8> %[[VEC4]] to i32
// CHECK-NEXT: %[[PRMT1:\w+]] = call i32 @llvm.nvvm.prmt(i32 %[[BITCAST1]], i32 0, i32 5124)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[PRMT1]] to <2 x half>
// CHECK-NEXT: %[[Y0:\w+]] = extractelement <2 x half> %[[BITCAST2]], i32 0
// CHECK-NEXT: %[[Y1:\w+]] = extractelement <2 x half> %[[BITCAST2]], i32 1
// CHECK-NEXT: %[[PRMT2:\w+]] = call i32 @llvm.nvvm.prmt(i32 %[[BITCAST1]], i32 0, i32 13348)
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast i32 %[[PRMT2]] to <2 x half>
// CHECK-NEXT: %[[Y2:\w+]] = extractelement <2 x half> %[[BITCAST3]], i32 0
// CHECK-NEXT: %[[Y3:\w+]] = extractelement <2 x half> %[[BITCAST3]], i32 1
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @from_e5m2(%x_ptr: !tt.ptr<f8E5M2>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f8E5M2> -> tensor<128x!tt.ptr<f8E5M2>, #b>
    %x = tt.load %x_ptrs : tensor<128x!tt.ptr<f8E5M2>, #b>
    %y = tt.fp_to_fp %x : tensor<128xf8E5M2, #b> -> tensor<128xf16, #b>
    tt.return
  }
}

// -----

// Narrowing rounds the lower byte to nearest even.
// CHECK-LABEL: define {{.*}} @to_e5m2(
// CHECK: %[[FPEXT1:\w+]] = fpext half %[[X0:\w+]] to float
// CHECK-NEXT: %[[FPEXT2:\w+]] = fpext half %[[X1:\w+]] to float
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <2 x half> poison, half %[[X0]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x half> %[[VEC1]], half %[[X1]], i32 1
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <2 x half> %[[VEC2]] to i32
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[BITCAST1]], 2147450879
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[AND1]] to <2 x half>
// CHECK-NEXT: %[[MINNUM1:\w+]] = call <2 x half> @llvm.minnum.v2f16(<2 x half> %[[BITCAST2]], <2 x half> <half 0xH7B00, half 0xH7B00>)
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast <2 x half> %[[MINNUM1]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[BITCAST3]], 8
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR1]], 65537
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[BITCAST3]], 8323199
// CHECK-NEXT: %[[ADD2:\w+]] = add i32 %[[ADD1]], %[[AND2]]
// CHECK-NEXT: %[[ADD3:\w+]] = add i32 %[[AND1]], 67044351
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[ADD3]], -2147450880
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[AND3]], 8
// CHECK-NEXT: %[[SUB1:\w+]] = sub i32 %[[AND3]], %[[LSHR2]]
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[ADD2]], %[[SUB1]]
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[BITCAST1]], -2147450880
// CHECK-NEXT: %[[OR2:\w+]] = or i32 %[[OR1]], %[[AND4]]
// CHECK-NEXT: %[[PRMT1:\w+]] = call i32 @llvm.nvvm.prmt(i32 %[[OR2]], i32 0, i32 30001)
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[PRMT1]] to <4 x i8>
// CHECK-NEXT: %[[Y0:\w+]] = extractelement <4 x i8> %[[BITCAST4]], i32 0
// CHECK-NEXT: %[[Y1:\w+]] = extractelement <4 x i8> %[[BITCAST4]], i32 1
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x i8> %[[BITCAST4]], i32 2
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x i8> %[[BITCAST4]], i32 3
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @to_e5m2(%x_ptr: !tt.ptr<f16>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f16>, #b>
    %y = tt.fp_to_fp %x, rounding = rtne : tensor<64xf16, #b> -> tensor<64xf8E5M2, #b>
    tt.return
  }
}
