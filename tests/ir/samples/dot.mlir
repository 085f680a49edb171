module {
  tt.func public @f(%arg0: tensor<128x64xf8E4M3FN>, %arg1: tensor<64x128xf8E4M3FN>, %arg2: tensor<128x128xf32>, %arg3: tensor<128x2xi8>, %arg4: tensor<32x128xi8>) attributes {noinline = false} {
    %0 = tt.dot %arg0, %arg1, %arg2 : tensor<128x64xf8E4M3FN> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
    %1 = tt.dot %arg0, %arg1, %arg2, inputPrecision = bf16x3 {maxNumImpreciseAcc = 5 : i32} : tensor<128x64xf8E4M3FN> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
    %2 = tt.dot_scaled %arg0 scale %arg3, %arg1 scale %arg3, %arg2 lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN>, tensor<128x2xi8> -> tensor<128x128xf32>
    %3 = tt.dot_scaled %arg0, %arg4 scale %arg3, %arg2 lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<128x64xf8E4M3FN> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}
