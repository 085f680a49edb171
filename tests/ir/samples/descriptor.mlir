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
