// RUN: weft opt %s --split-input-file --verify-roundtrip

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

// -----

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

// -----

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

// -----

module {
  tt.func public @f(%arg0: tensor<128x64xf8E4M3FN>, %arg1: tensor<64x128xf8E4M3FN>, %arg2: tensor<128x128xf32>, %arg3: tensor<128x2xi8>, %arg4: tensor<32x128xi8>) attributes {noinline = false} {
    %0 = tt.dot %arg0, %arg1, %arg2 : tensor<128x64xf8E4M3FN> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
    %1 = tt.dot %arg0, %arg1, %arg2, inputPrecision = bf16x3 {maxNumImpreciseAcc = 5 : i32} : tensor<128x64xf8E4M3FN> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
    %2 = tt.dot_scaled %arg0 scale %arg3, %arg1 scale %arg3, %arg2 lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN>, tensor<128x2xi8> -> tensor<128x128xf32>
    %3 = tt.dot_scaled %arg0, %arg4 scale %arg3, %arg2 lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<128x64xf8E4M3FN> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

module {
  tt.func public @f(%arg0: !tt.ptr<f16>, %arg1: i32, %arg2: i64, %arg3: !tt.tensordesc<tensor<1x64xf16>>, %arg4: tensor<32xi32>) attributes {noinline = false} {
    %0 = tt.make_tensor_descriptor %arg0, [%arg1, %arg1], [%arg2, %arg2] {padding = 2 : i32} : <f16>, <tensor<16x64xf16>>
    %1 = tt.descriptor_load %0[%arg1, %arg1] cacheModifier = ca evictionPolicy = evict_first : !tt.tensordesc<tensor<16x64xf16>> -> tensor<16x64xf16>
    tt.descriptor_store %0[%arg1, %arg1], %1 : !tt.tensordesc<tensor<16x64xf16>>, tensor<16x64xf16>
    tt.descriptor_reduce min, %0[%arg1, %arg1], %1 : !tt.tensordesc<tensor<16x64xf16>>, tensor<16x64xf16>
    %2 = tt.descriptor_gather %arg3[%arg4, %arg1] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xf16>
    tt.descriptor_scatter %arg3[%arg4, %arg1], %2 : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32, tensor<32x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func public @elementwise(%arg0: i32, %arg1: i64, %arg2: f32, %arg3: tensor<8xf32>, %arg4: tensor<8xi32>, %arg5: !tt.ptr<f32>) attributes {noinline = false} {
    %0 = tt.clampf %arg2, %arg2, %arg2, propagateNan = all : f32
    %1 = tt.clampf %arg3, %arg3, %arg3, propagateNan = none : tensor<8xf32>
    %2 = tt.fp_to_fp %arg3, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
    %3 = tt.fp_to_fp %2 : tensor<8xf8E5M2> -> tensor<8xf16>
    %4 = tt.precise_sqrt %arg2 : f32
    %5 = tt.precise_divf %arg2, %arg2 : f32
    %6 = tt.mulhiui %arg0, %arg0 : i32
    %7 = tt.bitcast %arg0 : i32 -> f32
    %8 = tt.int_to_ptr %arg1 : i64 -> !tt.ptr<f32>
    %9 = tt.ptr_to_int %arg5 : !tt.ptr<f32> -> i64
    %10 = tt.extern_elementwise %arg3 {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<8xf32>) -> tensor<8xf32>
    %11 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %arg4 : tensor<8xi32> -> tensor<8xi32>
    %12:2 = tt.elementwise_inline_asm "x" {constraints = "=r,=r,r,r", packed_element = 4 : i32, pure = false} %arg4, %arg4 : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>, tensor<8xi32>
    %13 = "tt.map_elementwise"(%arg3) <{pack = 1 : i32}> ({
    ^bb0(%arg6: f32):
      tt.map_elementwise.return %arg6 : f32
    }) : (tensor<8xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func public @program(%arg0: i32 {tt.divisibility = 16 : i32}, %arg1: i1, %arg2: tensor<8xi1>, %arg3: f32) attributes {noinline = false} {
    %0 = tt.get_program_id x : i32
    %1 = tt.get_num_programs y : i32
    tt.print "none" {hex = false, isSigned = array<i32>}
    tt.print "x: " {hex = true, isSigned = array<i32: 1, 0>} : %arg0, %arg3 : i32, f32
    tt.assert %arg1, "scalar" : i1
    tt.assert %arg2, "tensor" : tensor<8xi1>
    %2 = tt.call @one(%arg3) : (f32) -> f32
    %3:2 = tt.call @two(%arg3, %arg0) : (f32, i32) -> (i32, f32)
    tt.call @none() : () -> ()
    tt.return
  }
  tt.func private @one(%arg0: f32) -> f32 attributes {noinline = false} {
    tt.return %arg0 : f32
  }
  tt.func @two(%arg0: f32, %arg1: i32) -> (i32, f32 {tt.tag = 1 : i32}) attributes {noinline = true} {
    tt.return %arg1, %arg0 : i32, f32
  }
  tt.func private @none() attributes {noinline = false} {
    tt.return
  }
  tt.func private @declared(i32 {tt.divisibility = 16 : i32}, f32) -> f32
}
