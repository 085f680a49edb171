// RUN: %lower %s -split-input-file -verify-diagnostics

// kind::mxf8f6f4 has scales that are powers of two.
// expected-error@unknown {{scales of f8E4M3FN need fp4 operands}}
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#r = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#sc = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k() {
    %true = arith.constant true
    %d = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #t, #ttng.tensor_memory, mutable>
    %a = ttg.local_alloc : () -> !ttg.memdesc<128x64xf8E4M3FN, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<64x128xf8E4M3FN, #r, #smem, mutable>
    %x = ttng.tmem_alloc : () -> !ttg.memdesc<128x2xf8E4M3FN, #sc, #ttng.tensor_memory, mutable>
    %y = ttng.tmem_alloc : () -> !ttg.memdesc<128x2xf8E4M3FN, #sc, #ttng.tensor_memory, mutable>
    ttng.tc_gen5_mma_scaled %a, %b, %d, %x, %y, %true, %true lhs = e4m3 rhs = e4m3 : !ttg.memdesc<128x64xf8E4M3FN, #s, #smem, mutable>, !ttg.memdesc<64x128xf8E4M3FN, #r, #smem, mutable>, !ttg.memdesc<128x128xf32, #t, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xf8E4M3FN, #sc, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x2xf8E4M3FN, #sc, #ttng.tensor_memory, mutable>
    tt.return
  }
}
