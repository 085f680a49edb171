module {
  tt.func public @f(%arg0: f32, %arg1: tensor<64xf32>, %arg2: tensor<8x2xf32>, %arg3: tensor<64xi32>) attributes {noinline = false} {
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32, tt.contiguity = dense<64> : tensor<1xi32>} : tensor<64xi32>
    %1 = tt.splat %arg0 : f32 -> tensor<4x8xf32>
    %2 = tt.expand_dims %arg1 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %3 = tt.broadcast %2 : tensor<64x1xf32> -> tensor<64x32xf32>
    %4 = tt.reshape %arg1 allow_reorder efficient_layout : tensor<64xf32> -> tensor<8x8xf32>
    %5 = tt.reshape %arg1 : tensor<64xf32> -> tensor<4x4x4xf32>
    %6 = tt.trans %5 {order = array<i32: 2, 0, 1>} : tensor<4x4x4xf32> -> tensor<4x4x4xf32>
    %7 = tt.cat %arg1, %arg1 : tensor<64xf32> -> tensor<128xf32>
    %8 = tt.join %arg1, %arg1 : tensor<64xf32> -> tensor<64x2xf32>
    %outLHS, %outRHS = tt.split %arg2 : tensor<8x2xf32> -> tensor<8xf32>
    %outLHS_0, %outRHS_1 = tt.split %arg2 : tensor<8x2xf32> -> tensor<8xf32>
    %9 = tt.gather %arg1[%arg3] {axis = 0 : i32, efficient_layout} : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
    %10 = tt.histogram %arg3 : tensor<64xi32> -> tensor<16xi32>
    %11 = tt.splat %arg0 : f32 -> tensor<1x1xf32>
    %12 = tt.unsplat %11 : tensor<1x1xf32>
    tt.return
  }
}
