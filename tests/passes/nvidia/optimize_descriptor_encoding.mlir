// RUN: weft opt %s -p triton-nvidia-optimize-descriptor-encoding --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#narrow = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#plain = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
#columns = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-DAG: #[[WIDE:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[HALF:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK-DAG: #[[NARROW:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>

// The encoding is that of the destination buffer, or row-major if the buffer is transposed.
// CHECK-LABEL: @loads
// CHECK-SAME: %arg0: !tt.tensordesc<tensor<64x64xf16, #[[NARROW]]>>, %arg1: !tt.tensordesc<tensor<64x64xf16, #[[WIDE]]>>
tt.func public @loads(%p: !tt.tensordesc<tensor<64x64xf16>>, %q: !tt.tensordesc<tensor<64x64xf16>>, %i: i32) -> (!ttg.memdesc<64x64xf16, #narrow, #smem>, !ttg.memdesc<64x64xf16, #columns, #smem>) {
  %0 = tt.descriptor_load %p[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
  %1 = ttg.local_alloc %0 : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #narrow, #smem>
  %2 = tt.descriptor_load %q[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
  %3 = ttg.local_alloc %2 : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #columns, #smem>
  tt.return %1, %3 : !ttg.memdesc<64x64xf16, #narrow, #smem>, !ttg.memdesc<64x64xf16, #columns, #smem>
}

// Two buffers that disagree: the default of the rows.
// CHECK-LABEL: @disagree
// CHECK-SAME: %arg0: !tt.tensordesc<tensor<64x32xf16, #[[HALF]]>>
tt.func public @disagree(%p: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) -> (!ttg.memdesc<64x32xf16, #narrow, #smem>, !ttg.memdesc<64x32xf16, #plain, #smem>) {
  %0 = tt.descriptor_load %p[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #blocked>
  %1 = ttg.local_alloc %0 : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #narrow, #smem>
  %2 = tt.descriptor_load %p[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #blocked>
  %3 = ttg.local_alloc %2 : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #plain, #smem>
  tt.return %1, %3 : !ttg.memdesc<64x32xf16, #narrow, #smem>, !ttg.memdesc<64x32xf16, #plain, #smem>
}

// Iter_args and results of conditionals have the encoding of their descriptor.
// CHECK-LABEL: @one
// CHECK-SAME: %arg0: !tt.tensordesc<tensor<64x64xf16, #[[NARROW]]>>, %arg1: !tt.tensordesc<tensor<64x64xf16, #[[NARROW]]>>
// CHECK: scf.for {{.*}} -> (!tt.tensordesc<tensor<64x64xf16, #[[NARROW]]>>)
// CHECK: scf.if {{.*}} -> (!tt.tensordesc<tensor<64x64xf16, #[[NARROW]]>>)
tt.func public @one(%p: !tt.tensordesc<tensor<64x64xf16>>, %q: !tt.tensordesc<tensor<64x64xf16>>, %i: i32, %c: i1) {
  %r = scf.for %k = %i to %i step %i iter_args(%d = %p) -> (!tt.tensordesc<tensor<64x64xf16>>)  : i32 {
    %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16, #blocked>
    %1 = ttg.local_alloc %0 : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #narrow, #smem, mutable>
    ttg.local_dealloc %1 : !ttg.memdesc<64x64xf16, #narrow, #smem, mutable>
    %n = scf.if %c -> (!tt.tensordesc<tensor<64x64xf16>>) {
      scf.yield %d : !tt.tensordesc<tensor<64x64xf16>>
    } else {
      scf.yield %q : !tt.tensordesc<tensor<64x64xf16>>
    }
    scf.yield %n : !tt.tensordesc<tensor<64x64xf16>>
  }
  tt.return
}

// A store has no buffer yet; a function that others call takes the default.
// CHECK-LABEL: @store
// CHECK-SAME: %arg0: !tt.tensordesc<tensor<64x32xf16, #[[HALF]]>>
tt.func public @store(%p: !tt.tensordesc<tensor<64x32xf16>>, %i: i32, %x: tensor<64x32xf16, #blocked>) {
  tt.descriptor_store %p[%i, %i], %x : !tt.tensordesc<tensor<64x32xf16>>, tensor<64x32xf16, #blocked>
  tt.return
}

// CHECK-LABEL: @called
// CHECK-SAME: %arg0: !tt.tensordesc<tensor<64x32xf16, #[[HALF]]>>
tt.func private @called(%p: !tt.tensordesc<tensor<64x32xf16>>, %i: i32) -> !ttg.memdesc<64x32xf16, #narrow, #smem> {
  %0 = tt.descriptor_load %p[%i, %i] : !tt.tensordesc<tensor<64x32xf16>> -> tensor<64x32xf16, #blocked>
  %1 = ttg.local_alloc %0 : (tensor<64x32xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #narrow, #smem>
  tt.return %1 : !ttg.memdesc<64x32xf16, #narrow, #smem>
}
}
