// RUN: weft opt %s --split-input-file --verify-roundtrip

module {
  tt.func public @integer(%arg0: i32, %arg1: i32, %arg2: tensor<8xi32>, %arg3: index, %arg4: f32, %arg5: f16, %arg6: tensor<8xf32>, %arg7: i1, %arg8: tensor<8xi1>) attributes {noinline = false} {
    %0 = arith.addi %arg0, %arg1 : i32
    %1 = arith.addi %arg2, %arg2 overflow<nsw, nuw> : tensor<8xi32>
    %2 = arith.subi %arg0, %arg1 : i32
    %3 = arith.subi %arg2, %arg2 overflow<nsw, nuw> : tensor<8xi32>
    %4 = arith.muli %arg0, %arg1 : i32
    %5 = arith.muli %arg2, %arg2 overflow<nsw, nuw> : tensor<8xi32>
    %6 = arith.shli %arg0, %arg1 : i32
    %7 = arith.shli %arg2, %arg2 overflow<nsw, nuw> : tensor<8xi32>
    %8 = arith.divsi %arg0, %arg1 : i32
    %9 = arith.divsi %arg2, %arg2 exact : tensor<8xi32>
    %10 = arith.divui %arg0, %arg1 : i32
    %11 = arith.divui %arg2, %arg2 exact : tensor<8xi32>
    %12 = arith.shrsi %arg0, %arg1 : i32
    %13 = arith.shrsi %arg2, %arg2 exact : tensor<8xi32>
    %14 = arith.shrui %arg0, %arg1 : i32
    %15 = arith.shrui %arg2, %arg2 exact : tensor<8xi32>
    %16 = arith.remsi %arg2, %arg2 : tensor<8xi32>
    %17 = arith.remui %arg2, %arg2 : tensor<8xi32>
    %18 = arith.ceildivsi %arg2, %arg2 : tensor<8xi32>
    %19 = arith.ceildivui %arg2, %arg2 : tensor<8xi32>
    %20 = arith.floordivsi %arg2, %arg2 : tensor<8xi32>
    %21 = arith.andi %arg2, %arg2 : tensor<8xi32>
    %22 = arith.ori %arg2, %arg2 : tensor<8xi32>
    %23 = arith.xori %arg2, %arg2 : tensor<8xi32>
    %24 = arith.minsi %arg2, %arg2 : tensor<8xi32>
    %25 = arith.minui %arg2, %arg2 : tensor<8xi32>
    %26 = arith.maxsi %arg2, %arg2 : tensor<8xi32>
    %27 = arith.maxui %arg2, %arg2 : tensor<8xi32>
    %28 = arith.addi %arg3, %arg3 : index
    tt.return
  }
}

// -----

module {
  tt.func public @float(%arg0: i32, %arg1: i32, %arg2: tensor<8xi32>, %arg3: index, %arg4: f32, %arg5: f16, %arg6: tensor<8xf32>, %arg7: i1, %arg8: tensor<8xi1>) attributes {noinline = false} {
    %0 = arith.addf %arg4, %arg4 : f32
    %1 = arith.addf %arg6, %arg6 fastmath<nnan,contract> : tensor<8xf32>
    %2 = arith.subf %arg4, %arg4 : f32
    %3 = arith.subf %arg6, %arg6 fastmath<nnan,contract> : tensor<8xf32>
    %4 = arith.mulf %arg4, %arg4 : f32
    %5 = arith.mulf %arg6, %arg6 fastmath<nnan,contract> : tensor<8xf32>
    %6 = arith.divf %arg4, %arg4 : f32
    %7 = arith.divf %arg6, %arg6 fastmath<nnan,contract> : tensor<8xf32>
    %8 = arith.remf %arg4, %arg4 : f32
    %9 = arith.remf %arg6, %arg6 fastmath<nnan,contract> : tensor<8xf32>
    %10 = arith.maxnumf %arg4, %arg4 : f32
    %11 = arith.maxnumf %arg6, %arg6 fastmath<nnan,contract> : tensor<8xf32>
    %12 = arith.minnumf %arg4, %arg4 : f32
    %13 = arith.minnumf %arg6, %arg6 fastmath<nnan,contract> : tensor<8xf32>
    %14 = arith.maximumf %arg4, %arg4 : f32
    %15 = arith.maximumf %arg6, %arg6 fastmath<nnan,contract> : tensor<8xf32>
    %16 = arith.minimumf %arg4, %arg4 : f32
    %17 = arith.minimumf %arg6, %arg6 fastmath<nnan,contract> : tensor<8xf32>
    %18 = arith.negf %arg4 : f32
    %19 = arith.negf %arg6 fastmath<fast> : tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func public @conversion(%arg0: i32, %arg1: i32, %arg2: tensor<8xi32>, %arg3: index, %arg4: f32, %arg5: f16, %arg6: tensor<8xf32>, %arg7: i1, %arg8: tensor<8xi1>) attributes {noinline = false} {
    %0 = arith.extf %arg5 : f16 to f32
    %1 = arith.extf %arg5 fastmath<none> : f16 to f32
    %2 = arith.extsi %arg2 : tensor<8xi32> to tensor<8xi64>
    %3 = arith.extui %arg0 : i32 to i64
    %4 = arith.trunci %arg0 : i32 to i16
    %5 = arith.trunci %arg0 overflow<nsw> : i32 to i8
    %6 = arith.sitofp %arg2 : tensor<8xi32> to tensor<8xf32>
    %7 = arith.uitofp %arg0 : i32 to f64
    %8 = arith.fptosi %arg4 : f32 to i32
    %9 = arith.fptoui %arg6 : tensor<8xf32> to tensor<8xi8>
    %10 = arith.index_cast %arg0 : i32 to index
    %11 = arith.index_cast %arg3 : index to i64
    %12 = arith.truncf %arg6 : tensor<8xf32> to tensor<8xbf16>
    %13 = arith.truncf %arg4 toward_zero : f32 to f16
    %14 = arith.truncf %arg4 to_nearest_even fastmath<contract> : f32 to f16
    %15 = arith.bitcast %arg4 : f32 to i32
    %16 = arith.bitcast %arg6 : tensor<8xf32> to tensor<8xi32>
    tt.return
  }
}

// -----

module {
  tt.func public @compare(%arg0: i32, %arg1: i32, %arg2: tensor<8xi32>, %arg3: index, %arg4: f32, %arg5: f16, %arg6: tensor<8xf32>, %arg7: i1, %arg8: tensor<8xi1>) attributes {noinline = false} {
    %0 = arith.cmpi eq, %arg0, %arg1 : i32
    %1 = arith.cmpi ne, %arg0, %arg1 : i32
    %2 = arith.cmpi slt, %arg0, %arg1 : i32
    %3 = arith.cmpi sle, %arg0, %arg1 : i32
    %4 = arith.cmpi sgt, %arg0, %arg1 : i32
    %5 = arith.cmpi sge, %arg0, %arg1 : i32
    %6 = arith.cmpi ult, %arg0, %arg1 : i32
    %7 = arith.cmpi ule, %arg0, %arg1 : i32
    %8 = arith.cmpi ugt, %arg0, %arg1 : i32
    %9 = arith.cmpi uge, %arg0, %arg1 : i32
    %10 = arith.cmpf false, %arg6, %arg6 : tensor<8xf32>
    %11 = arith.cmpf oeq, %arg6, %arg6 : tensor<8xf32>
    %12 = arith.cmpf ogt, %arg6, %arg6 : tensor<8xf32>
    %13 = arith.cmpf oge, %arg6, %arg6 : tensor<8xf32>
    %14 = arith.cmpf olt, %arg6, %arg6 : tensor<8xf32>
    %15 = arith.cmpf ole, %arg6, %arg6 : tensor<8xf32>
    %16 = arith.cmpf one, %arg6, %arg6 : tensor<8xf32>
    %17 = arith.cmpf ord, %arg6, %arg6 : tensor<8xf32>
    %18 = arith.cmpf ueq, %arg6, %arg6 : tensor<8xf32>
    %19 = arith.cmpf ugt, %arg6, %arg6 : tensor<8xf32>
    %20 = arith.cmpf uge, %arg6, %arg6 : tensor<8xf32>
    %21 = arith.cmpf ult, %arg6, %arg6 : tensor<8xf32>
    %22 = arith.cmpf ule, %arg6, %arg6 : tensor<8xf32>
    %23 = arith.cmpf une, %arg6, %arg6 : tensor<8xf32>
    %24 = arith.cmpf uno, %arg6, %arg6 : tensor<8xf32>
    %25 = arith.cmpf true, %arg6, %arg6 : tensor<8xf32>
    %26 = arith.cmpf olt, %arg4, %arg4 fastmath<nnan> : f32
    %27 = arith.select %arg7, %arg6, %arg6 : tensor<8xf32>
    %28 = arith.select %arg8, %arg6, %arg6 : tensor<8xi1>, tensor<8xf32>
    %29 = arith.select %arg7, %arg0, %arg1 {tag} : i32
    tt.return
  }
}

// -----

module {
  tt.func public @constant() attributes {noinline = false} {
    %cst = arith.constant 9.99999997E-7 : f32
    %cst_0 = arith.constant 1.44269502 : f32
    %cst_1 = arith.constant 0x4B800000 : f32
    %cst_2 = arith.constant 1.000000e+10 : f32
    %cst_3 = arith.constant 3.14159265358979 : f64
    %cst_4 = arith.constant 9.997550e-02 : f16
    %cst_5 = arith.constant 1.000980e-01 : bf16
    %cst_6 = arith.constant 123456.789 : f32
    %cst_7 = arith.constant 0.00123456784 : f32
    %cst_8 = arith.constant 0x7FC00000 : f32
    %cst_9 = arith.constant -0.000000e+00 : f32
    %cst_10 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %cst_11 = arith.constant 3.000000e+00 : f8E5M2
    %cst_12 = arith.constant 0x4132D68700000000 : f64
    %cst_13 = arith.constant 1.23456781E+20 : f32
    %cst_14 = arith.constant dense<0xFF800000> : tensor<64xf32>
    %cst_15 = arith.constant dense<true> : tensor<64xi1>
    %cst_16 = arith.constant dense<-7> : tensor<64xi8>
    %true = arith.constant true
    %c-2147483648_i64 = arith.constant -2147483648 : i64
    %cst_17 = arith.constant dense<[1.000000e+00, 0xFF800000]> : tensor<2xf32>
    %cst_18 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %cst_19 = arith.constant dense<[true, false]> : tensor<2xi1>
    %cst_20 = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    %cst_21 = arith.constant dense<7> : tensor<2xi32>
    %c5 = arith.constant 5 : index
    %false = arith.constant false
    %c1_i32 = arith.constant 1 : i32
    %c1_i32_22 = arith.constant 1 : i32
    tt.return
  }
}
