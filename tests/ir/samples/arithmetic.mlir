module {
  tt.func public @f(%arg0: i32, %arg1: tensor<8xi32>, %arg2: f32, %arg3: tensor<8xf32>, %arg4: i1, %arg5: tensor<8xi1>) attributes {noinline = false} {
    %0 = arith.addi %arg0, %arg0 overflow<nsw, nuw> : i32
    %1 = arith.divsi %arg1, %arg1 : tensor<8xi32>
    %2 = arith.addf %arg3, %arg3 fastmath<contract> : tensor<8xf32>
    %3 = arith.cmpi ult, %arg0, %arg0 : i32
    %4 = arith.cmpf une, %arg3, %arg3 : tensor<8xf32>
    %5 = arith.select %arg4, %arg3, %arg3 : tensor<8xf32>
    %6 = arith.select %arg5, %arg3, %arg3 : tensor<8xi1>, tensor<8xf32>
    %7 = arith.extsi %arg1 : tensor<8xi32> to tensor<8xi64>
    %8 = arith.truncf %arg3 : tensor<8xf32> to tensor<8xbf16>
    %9 = arith.sitofp %arg1 : tensor<8xi32> to tensor<8xf32>
    %10 = arith.bitcast %arg2 : f32 to i32
    %11 = math.exp2 %arg3 : tensor<8xf32>
    %12 = math.fma %arg2, %arg2, %arg2 : f32
    %13 = math.absi %arg0 : i32
    %14 = tt.clampf %arg2, %arg2, %arg2, propagateNan = all : f32
    %15 = tt.fp_to_fp %arg3, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
    %16 = tt.fp_to_fp %15 : tensor<8xf8E5M2> -> tensor<8xf16>
    %17 = tt.precise_sqrt %arg2 : f32
    %18 = tt.precise_divf %arg2, %arg2 : f32
    %19 = tt.mulhiui %arg0, %arg0 : i32
    %20 = tt.extern_elementwise %arg3 {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<8xf32>) -> tensor<8xf32>
    %21 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %arg1 : tensor<8xi32> -> tensor<8xi32>
    %22:2 = tt.elementwise_inline_asm "x" {constraints = "=r,=r,r,r", packed_element = 4 : i32, pure = false} %arg1, %arg1 : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>, tensor<8xi32>
    %23 = ub.poison : tensor<8xf32>
    llvm.intr.assume %arg4 : i1
    tt.return
  }
}
