// RUN: %lower %s | filecheck %s

// A wait for a token leaves the instructions of the later copies outstanding: four of the gather
// of 32 rows, as a lane holds eight, and one of the tile. Its `num` does not matter.
// CHECK: call void @llvm.amdgcn.s.wait.tensorcnt(i16 5)

// Without tokens, all but the last `num` copies are complete.
// CHECK: call void @llvm.amdgcn.s.wait.tensorcnt(i16 5)
// CHECK: call void @llvm.amdgcn.s.wait.tensorcnt(i16 1)

// The last copy is waited for.
// CHECK: call void @llvm.amdgcn.s.wait.tensorcnt(i16 0)
#rows = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @tokens(%p: !tt.ptr<f16>, %rows: i32, %columns: i32, %zero: i32, %true: i32) {
    %x = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #rows>
    %c1 = arith.constant 1 : i64
    %c64 = arith.constant 64 : i64
    %d = tt.make_tensor_descriptor %p, [%rows, %columns], [%c64, %c1] : <f16>, <tensor<32x64xf16>>
    %m = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>
    %n = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>
    %o = ttg.local_alloc : () -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>
    %t = amdg.async_tdm_copy_global_to_local %d[%zero, %zero] into %m, %true : !tt.tensordesc<tensor<32x64xf16>> -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>
    %u = amdg.async_tdm_gather %d[%x, %zero] to %n : tensor<32xi32, #rows>, !ttg.memdesc<32x64xf16, #s, #smem, mutable> -> !tt.tensordesc<tensor<32x64xf16>>
    %v = amdg.async_tdm_copy_global_to_local %d[%zero, %zero] into %o, %true : !tt.tensordesc<tensor<32x64xf16>> -> !ttg.memdesc<32x64xf16, #s, #smem, mutable>
    %w = amdg.async_tdm_wait %t {num = 7 : i32}
    %y = amdg.async_tdm_wait {num = 2 : i32}
    %z = amdg.async_tdm_wait {num = 1 : i32}
    %l = amdg.async_tdm_wait %w, %u, %v {num = 7 : i32}
    tt.return
  }
}
