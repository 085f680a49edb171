module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @regions(%arg0: i32, %arg1: i1, %arg2: f32, %arg3: tensor<8xf32>) -> f32 attributes {noinline = false} {
    %0:2 = scf.for %arg4 = %arg0 to %arg0 step %arg0 iter_args(%arg5 = %arg2, %arg6 = %arg0) -> (f32, i32)  : i32 {
      %8 = arith.addf %arg5, %arg2 : f32
      scf.yield %8, %arg4 : f32, i32
    } {label = "for"}
    %1:2 = scf.while (%arg4 = %arg2) : (f32) -> (i32, f32) {
      %8 = arith.addf %arg4, %arg4 : f32
      scf.condition(%arg1) %arg0, %8 : i32, f32
    } do {
    ^bb0(%arg4: i32, %arg5: f32):
      %8 = arith.mulf %arg5, %arg5 : f32
      scf.yield %8 : f32
    } attributes {label = "while"}
    %2 = scf.if %arg1 -> (f32) {
      scf.yield %arg2 : f32
    } else {
      scf.yield %1#1 : f32
    } {label = "if-else"}
    scf.if %arg1 {
      tt.print "a: " {hex = false, isSigned = array<i32: 0>} : %arg2 : f32
    } {label = "if"}
    %3 = scf.execute_region -> i32 {
      cf.cond_br %arg1, ^bb1(%arg0 : i32), ^bb2
    ^bb1(%8: i32):  // pred: ^bb0
      scf.yield %8 : i32
    ^bb2:  // pred: ^bb0
      scf.yield %arg0 : i32
    } {label = "execute"}
    %4 = "tt.reduce"(%arg3) <{axis = 0 : i32}> ({
    ^bb0(%arg4: f32, %arg5: f32):
      %8 = arith.addf %arg4, %arg5 : f32
      tt.reduce.return %8 : f32
    }) {label = "reduce"} : (tensor<8xf32>) -> f32
    %5 = "tt.map_elementwise"(%arg3) <{pack = 1 : i32}> ({
    ^bb0(%arg4: f32):
      tt.map_elementwise.return %arg4 : f32
    }) {label = "map"} : (tensor<8xf32>) -> tensor<8xf32>
    %6 = ttg.warp_specialize(%arg0, %arg2) attributes {label = "specialize"}
    default {
      ttg.warp_yield %arg0 : i32
    }
    partition0(%arg4: i32, %arg5: f32) num_warps(2) {
      ttg.warp_return
    }
    partition1(%arg4: i32, %arg5: f32) num_warps(1) {
      ttg.warp_return
    } : (i32, f32) -> i32
    %7 = nvws.warp_group attributes {label = "group"}
    partition0 num_warps(4) {
      nvws.warp_group.yield %arg0 : i32
    }
    partition1 num_warps(2) {
      nvws.warp_group.return
    }
    cf.cond_br %arg1, ^bb1(%2 : f32), ^bb2(%arg0, %arg2 : i32, f32)
  ^bb1(%9: f32):  // 2 preds: ^bb0, ^bb2
    tt.return %9 : f32
  ^bb2(%10: i32, %11: f32):  // pred: ^bb0
    %12 = tt.call @callee(%11, %10) : (f32, i32) -> f32
    cf.br ^bb1(%12 : f32)
  }
  tt.func private @callee(%arg0: f32, %arg1: i32) -> f32 attributes {noinline = false} {
    tt.return %arg0 : f32
  }
  tt.func private @declared(f32) -> f32 attributes {noinline = false}
}
