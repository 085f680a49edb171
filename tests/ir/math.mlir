// RUN: weft opt %s --split-input-file --verify-roundtrip

module {
  tt.func public @math(%arg0: f32, %arg1: tensor<8xf32>, %arg2: tensor<8xi32>) attributes {noinline = false} {
    %0 = math.exp %arg0 : f32
    %1 = math.exp2 %arg0 : f32
    %2 = math.expm1 %arg0 : f32
    %3 = math.log %arg0 : f32
    %4 = math.log2 %arg0 : f32
    %5 = math.log10 %arg0 : f32
    %6 = math.log1p %arg0 : f32
    %7 = math.sqrt %arg0 : f32
    %8 = math.rsqrt %arg0 : f32
    %9 = math.sin %arg0 : f32
    %10 = math.cos %arg0 : f32
    %11 = math.tan %arg0 : f32
    %12 = math.tanh %arg0 : f32
    %13 = math.erf %arg0 : f32
    %14 = math.absf %arg0 : f32
    %15 = math.floor %arg0 : f32
    %16 = math.ceil %arg0 : f32
    %17 = math.round %arg0 : f32
    %18 = math.roundeven %arg0 : f32
    %19 = math.trunc %arg0 : f32
    %20 = math.exp %arg1 fastmath<contract> : tensor<8xf32>
    %21 = math.absi %arg2 : tensor<8xi32>
    %22 = math.fma %arg0, %arg0, %arg0 : f32
    %23 = math.fma %arg1, %arg1, %arg1 fastmath<fast> : tensor<8xf32>
    tt.return
  }
}
