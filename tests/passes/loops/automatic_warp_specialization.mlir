// RUN: weft opt %s -p tritongpu-automatic-warp-specialization | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {

// Conversions and common subexpressions are simplified in all modules.
// CHECK-LABEL: @simplified
// CHECK: %[[X:.*]] = arith.addf %arg0, %arg0
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: tt.return %[[Y]]
tt.func public @simplified(%x: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %c = ttg.convert_layout %x : tensor<128x64xf32, #linear> -> tensor<128x64xf32, #blocked>
  %d = ttg.convert_layout %c : tensor<128x64xf32, #blocked> -> tensor<128x64xf32, #linear>
  %y = arith.addf %d, %x : tensor<128x64xf32, #linear>
  %z = arith.addf %x, %x : tensor<128x64xf32, #linear>
  %r = arith.mulf %y, %z : tensor<128x64xf32, #linear>
  tt.return %r : tensor<128x64xf32, #linear>
}

// Placeholders move to the start of the function.
// CHECK-LABEL: @poison
// CHECK-NEXT: ub.poison : i32
tt.func public @poison(%p: !tt.ptr<i32>) {
  %x = tt.load %p : !tt.ptr<i32>
  %u = ub.poison : i32
  %y = arith.addi %x, %u : i32
  tt.store %p, %y : !tt.ptr<i32>
  tt.return
}
}
