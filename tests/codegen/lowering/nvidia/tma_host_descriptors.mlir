// RUN: %lower %s | filecheck %s

// A descriptor that the host encodes is a parameter of 128 bytes; its shape and strides follow.
// CHECK-LABEL: define ptx_kernel void @parameter(ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %arg0, i32 %arg1, i32 %arg2, i64 %arg3, i64 %arg4) "nvvm.reqntid"="32" {
// CHECK: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[IN1:\w+]], ptr %arg0, i32 %arg2, i32 %arg1, ptr addrspace(3) @shared)
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @parameter(%d: !tt.tensordesc<tensor<64x64xf16, #s>>, %rows: i32, %columns: i32, %s0: i64, %s1: i64) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    ttng.async_tma_copy_local_to_global %d[%rows, %columns] %m : !tt.tensordesc<tensor<64x64xf16, #s>>, !ttg.memdesc<64x64xf16, #s, #smem, mutable>
    tt.return
  }
}
