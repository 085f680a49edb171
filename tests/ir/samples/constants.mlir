module {
  tt.func public @f() attributes {noinline = false} {
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
