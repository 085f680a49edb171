// RUN: weft opt %s -p triton-nvidia-gpu-proxy-fence-insertion{compute-capability=90} | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// The second buffer has the bytes of the first, which threads have read.
// CHECK-LABEL: @shared_bytes
// CHECK: ttg.local_load
// CHECK: ttng.fence_async_shared {bCluster = false}
// CHECK-NEXT: ttng.async_tma_copy_global_to_local
// CHECK-NOT: ttng.fence_async_shared
// CHECK: tt.return
tt.func public @shared_bytes(%x: tensor<64x64xf16, #blocked>, %d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %i: i32, %p: i1, %m: !ttg.memdesc<1xi64, #bar, #smem, mutable>) -> tensor<64x64xf16, #blocked> {
  %a = ttg.local_alloc %x {allocation.offset = 0 : i32} : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #blocked>
  %b = ttg.local_alloc {allocation.offset = 4096 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %b, %m, %p : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %b, %m, %p : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  tt.return %y : tensor<64x64xf16, #blocked>
}

// Buffers with their own bytes, and reads after reads, need no fence.
// CHECK-LABEL: @own_bytes
// CHECK-NOT: ttng.fence_async_shared
// CHECK: tt.return
tt.func public @own_bytes(%d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %i: i32, %p: i1, %m: !ttg.memdesc<1xi64, #bar, #smem, mutable>) -> tensor<64x64xf16, #blocked> {
  %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %y = ttg.local_load %a : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #blocked>
  ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %b = ttg.local_alloc {allocation.offset = 8192 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %b, %m, %p : !tt.tensordesc<tensor<64x64xf16, #shared>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %z = ttg.local_load %a : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #blocked>
  %s = arith.addf %y, %z : tensor<64x64xf16, #blocked>
  tt.return %s : tensor<64x64xf16, #blocked>
}

// Threads write in one iteration what the tensor cores read in the next one.
// CHECK-LABEL: @next_iteration
// CHECK: ^bb1
// CHECK: ttng.fence_async_shared
// CHECK-NEXT: ttng.warp_group_dot
// CHECK: ttg.local_store
tt.func public @next_iteration(%x: tensor<64x64xf16, #blocked>, %c: tensor<64x64xf32, #mma>, %p: i1) -> tensor<64x64xf32, #mma> {
  %a = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  cf.br ^bb1(%c : tensor<64x64xf32, #mma>)
^bb1(%s: tensor<64x64xf32, #mma>):
  %r = ttng.warp_group_dot %a, %a, %s : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
  ttg.local_store %x, %a : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  cf.cond_br %p, ^bb1(%r : tensor<64x64xf32, #mma>), ^bb2
^bb2:
  tt.return %r : tensor<64x64xf32, #mma>
}
}
