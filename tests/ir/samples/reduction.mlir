module {
  tt.func public @f(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xi32>) attributes {noinline = false} {
    %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %5 = arith.addf %arg2, %arg3 : f32
      tt.reduce.return %5 : f32
    }) : (tensor<8x4xf32>) -> tensor<8xf32>
    %1:2 = "tt.reduce"(%arg0, %arg1) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: i32, %arg4: f32, %arg5: i32):
      tt.reduce.return %arg2, %arg5 : f32, i32
    }) : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
    %2 = "tt.scan"(%arg0) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg2: f32, %arg3: f32):
      %5 = arith.maxnumf %arg2, %arg3 : f32
      tt.scan.return %5 : f32
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %3 = tt.get_program_id y : i32
    %4 = tt.get_num_programs z : i32
    tt.return
  }
}
