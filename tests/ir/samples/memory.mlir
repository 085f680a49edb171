module {
  tt.func public @f(%arg0: !tt.ptr<f32>, %arg1: i1, %arg2: f32, %arg3: tensor<64x!tt.ptr<f32>>, %arg4: tensor<64xi1>, %arg5: tensor<64xf32>, %arg6: tensor<64xi32>, %arg7: i32, %arg8: i64) attributes {noinline = false} {
    %0 = tt.load %arg0 : !tt.ptr<f32>
    %1 = tt.load %arg3, %arg4, %arg5 cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<64x!tt.ptr<f32>>
    %2 = tt.load %arg3, %arg4 : tensor<64x!tt.ptr<f32>>
    tt.store %arg3, %arg5, %arg4 cacheModifier = wt evictionPolicy = evict_last : tensor<64x!tt.ptr<f32>>
    tt.store %arg0, %arg2 : !tt.ptr<f32>
    %3 = tt.addptr %arg3, %arg6 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %4 = tt.atomic_rmw fadd, acq_rel, gpu, %arg3, %arg5, %arg4 : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
    %5 = tt.atomic_rmw exch, relaxed, sys, %arg0, %arg2 : (!tt.ptr<f32>, f32) -> f32
    %6 = tt.atomic_cas acquire, cta, %arg0, %arg2, %arg2 : (!tt.ptr<f32>, f32, f32) -> f32
    %7 = tt.make_tensor_ptr %arg0, [%arg8, %arg8], [%arg8, %arg8], [%arg7, %arg7] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
    %8 = tt.load %7 {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<16x32xf32>>
    %9 = tt.advance %7, [%arg7, %arg7] : <tensor<16x32xf32>>
    tt.store %9, %8 {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<16x32xf32>>
    %10 = tt.ptr_to_int %arg3 : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
    %11 = tt.int_to_ptr %10 : tensor<64xi64> -> tensor<64x!tt.ptr<f32>>
    %12 = tt.bitcast %arg3 : tensor<64x!tt.ptr<f32>> -> tensor<64x!tt.ptr<i32>>
    tt.return
  }
}
