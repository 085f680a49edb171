// Twice the sum of two vectors, with some work left for the passes.
module {
  tt.func public @twice(%a: !tt.ptr<f32>, %n: i32) {
    %zero = arith.constant 0 : i32
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %shift = tt.splat %zero : i32 -> tensor<64xi32>
    %j = arith.addi %i, %shift : tensor<64xi32>
    %p = tt.splat %a : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %q = tt.addptr %p, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %r = tt.addptr %p, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %x = tt.load %q : tensor<64x!tt.ptr<f32>>
    %y = arith.addf %x, %x : tensor<64xf32>
    tt.store %r, %y : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
