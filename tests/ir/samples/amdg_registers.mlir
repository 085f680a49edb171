#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [4, 1], instrShape = [16, 16, 32], isTransposed = true}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amdg_registers(%arg0: tensor<128x64xf16, #blocked>, %arg1: tensor<128x32xi8, #blocked>, %arg2: tensor<128x64xbf16, #blocked>, %arg3: tensor<128x64xf8E4M3FN, #blocked>, %arg4: tensor<128x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>>, %arg5: tensor<128x2xi8, #blocked>, %arg6: !ttg.memdesc<64x128xi8, #shared, #smem, mutable>, %arg7: !ttg.async.token) {
    %0 = amdg.extract_slice %arg0 [32, 0] : tensor<128x64xf16, #blocked> to tensor<32x64xf16, #blocked>
    %1 = amdg.concat %arg0, %arg0 : tensor<128x64xf16, #blocked>, tensor<128x64xf16, #blocked> -> tensor<256x64xf16, #blocked>
    %2 = amdg.in_thread_transpose %arg0 : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #blocked>
    %3 = amdg.scaled_upcast_fp4 %arg1 scale %arg2 {axis = 1 : i32} : tensor<128x32xi8, #blocked>, tensor<128x64xbf16, #blocked> -> tensor<128x64xbf16, #blocked>
    %4 = amdg.scaled_upcast_fp8 %arg3 scale %arg2 : tensor<128x64xf8E4M3FN, #blocked>, tensor<128x64xbf16, #blocked> -> tensor<128x64xbf16, #blocked>
    %5 = amdg.upcast_mxfp %arg4, %arg5 fp_type = e2m1 {fastMath = false} : tensor<128x32xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>>, tensor<128x2xi8, #blocked> -> tensor<128x64xbf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>>
    %6 = amdg.local_load_packed_tranposed %arg6 : !ttg.memdesc<64x128xi8, #shared, #smem, mutable> -> tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>>
    %7 = amdg.local_load_packed_tranposed %arg6 token %arg7 : !ttg.memdesc<64x128xi8, #shared, #smem, mutable> -> tensor<128x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>>
    tt.return
  }
}
