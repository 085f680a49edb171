module {
  tt.func public @f(%arg0: i32, %arg1: i1, %arg2: f32) attributes {noinline = false} {
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %0:2 = scf.for %arg3 = %c0_i32 to %arg0 step %c1_i32 iter_args(%arg4 = %arg2, %arg5 = %c0_i32) -> (f32, i32)  : i32 {
      %6 = arith.addf %arg4, %arg4 : f32
      %7 = scf.if %arg1 -> (f32) {
        scf.yield %6 : f32
      } else {
        scf.yield %arg4 : f32
      }
      scf.yield %7, %arg3 : f32, i32
    } {tt.num_stages = 3 : i32}
    scf.for %arg3 = %c0_i32 to %arg0 step %c1_i32  : i32 {
      scf.if %arg1 {
        tt.print "a: " {hex = false, isSigned = array<i32: 1>} : %arg3 : i32
      } else {
      }
    }
    %1 = scf.while (%arg3 = %arg2) : (f32) -> f32 {
      %6 = arith.cmpf olt, %arg3, %0#0 : f32
      scf.condition(%6) %arg3 : f32
    } do {
    ^bb0(%arg3: f32):
      %6 = arith.addf %arg3, %arg2 : f32
      scf.yield %6 : f32
    }
    %2 = tt.splat %arg2 : f32 -> tensor<8xf32>
    %3 = "tt.map_elementwise"(%2) <{pack = 1 : i32}> ({
    ^bb0(%arg3: f32):
      tt.map_elementwise.return %arg3 : f32
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %4 = tt.call @g(%1) : (f32) -> f32
    ttg.barrier local
    ttg.barrier local|global_read
    cf.cond_br %arg1, ^bb1, ^bb2(%4 : f32)
  ^bb1:  // 2 preds: ^bb0, ^bb2
    tt.return
  ^bb2(%5: f32):  // pred: ^bb0
    tt.assert %arg1, "late" : i1
    cf.br ^bb1
  }
  tt.func private @g(%arg0: f32) -> f32 attributes {noinline = false} {
    tt.return %arg0 : f32
  }
}
