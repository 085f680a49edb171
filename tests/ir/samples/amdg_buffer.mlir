#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [128, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @amdg_buffer(%arg0: tensor<128x64xf16, #blocked>, %arg1: tensor<128x64xi32, #blocked>, %arg2: tensor<128x64xi1, #blocked>, %arg3: !tt.ptr<f16>, %arg4: i32, %arg5: !ttg.memdesc<128x64xf16, #shared, #smem, mutable>, %arg6: !tt.ptr<i32>) {
    %0 = amdg.buffer_load %arg3[%arg1] : tensor<128x64xf16, #blocked>
    %1 = amdg.buffer_load %arg3[%arg1], %arg2, %arg0 cacheModifier = cg stride = %arg4 {contiguity = 8 : i32} : tensor<128x64xf16, #blocked>
    amdg.buffer_store %0, %arg3[%arg1] : tensor<128x64xf16, #blocked>
    amdg.buffer_store %1, %arg3[%arg1], %arg2 cacheModifier = cg stride = %arg4 {contiguity = 4 : i32} : tensor<128x64xf16, #blocked>
    %2 = amdg.buffer_load_to_local %arg3[%arg1] into %arg5 : <f16>[tensor<128x64xi32, #blocked>]  -> <128x64xf16, #shared, #smem, mutable>
    %3 = amdg.buffer_load_to_local %arg3[%arg1] mask = %arg2 other = %arg0 stride = %arg4 cacheModifier = cg into %arg5 {contiguity = 8 : i32} : <f16>[tensor<128x64xi32, #blocked>] tensor<128x64xf16, #blocked> -> <128x64xf16, #shared, #smem, mutable>
    %4 = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %arg0, %arg3[%arg1], %arg2 stride = %arg4 : tensor<128x64xf16, #blocked>
    %5 = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %arg0, %arg3[%arg1] : tensor<128x64xf16, #blocked>
    %6 = amdg.buffer_atomic_cas acq_rel, gpu, %arg1, %arg1, %arg6[%arg1] stride = %arg4 : tensor<128x64xi32, #blocked>
    %7 = amdg.buffer_atomic_cas acq_rel, gpu, %arg1, %arg1, %arg6[%arg1] : tensor<128x64xi32, #blocked>
    tt.return
  }
}
