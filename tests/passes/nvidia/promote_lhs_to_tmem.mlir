// RUN: weft opt %s -p tritongpu-promote-lhs-to-tmem | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// A left operand that is computed in registers goes to tensor memory.
// CHECK-LABEL: @computed
// CHECK: %[[X:.*]] = arith.truncf
// CHECK: %[[A:.*]] = ttng.tmem_alloc %[[X]]
// CHECK: ttng.tc_gen5_mma %[[A]]
tt.func public @computed(%x: tensor<128x64xf32, #linear>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %h = arith.truncf %x : tensor<128x64xf32, #linear> to tensor<128x64xf16, #linear>
  %a = ttg.local_alloc %h : (tensor<128x64xf16, #linear>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
  ttng.tc_gen5_mma %a, %b, %m[], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// Its layout is converted if necessary.
// CHECK-LABEL: @converted
// CHECK: %[[X:.*]] = arith.addf
// CHECK: %[[Y:.*]] = ttg.convert_layout %[[X]]
// CHECK-NEXT: %[[A:.*]] = ttng.tmem_alloc %[[Y]]
// CHECK: ttng.tc_gen5_mma %[[A]]
tt.func public @converted(%x: tensor<128x64xf16, #blocked>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %h = arith.addf %x, %x : tensor<128x64xf16, #blocked>
  %a = ttg.local_alloc %h : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
  ttng.tc_gen5_mma %a, %b, %m[], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// A tile that is loaded stays in shared memory: an asynchronous copy can write it there.
// CHECK-LABEL: @loaded
// CHECK: %[[A:.*]] = ttg.local_alloc
// CHECK: ttng.tc_gen5_mma %[[A]]
tt.func public @loaded(%p: tensor<128x64x!tt.ptr<f16>, #blocked>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %h = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>
  %a = ttg.local_alloc %h : (tensor<128x64xf16, #blocked>) -> !ttg.memdesc<128x64xf16, #shared, #smem>
  ttng.tc_gen5_mma %a, %b, %m[], %true, %true : !ttg.memdesc<128x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
}
