// RUN: weft opt %s -p 'convert-triton-to-tritongpu{target=cuda:100 enable-source-remat=true},relayout-tritongpu' --split-input-file --allow-unregistered-dialect | filecheck %s

// Tensor memory of 128 rows: a lane of each warp holds a row.
// CHECK-DAG: #[[ROWS:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}32, 0], [64, 0]], block = []}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
// CHECK-LABEL: @tensor_memory
tt.func @tensor_memory(%m: !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  // CHECK: %[[L:.*]] = ttng.tmem_load %arg0 : {{.*}} -> tensor<128x32xf32, #[[ROWS]]>
  // CHECK-NEXT: ttg.convert_layout %[[L]] : tensor<128x32xf32, #[[ROWS]]> -> tensor<128x32xf32, #[[BLOCKED:.*]]>
  %0 = ttng.tmem_load %m : !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x32xf32>
  // CHECK: %[[S:.*]] = arith.addf {{.*}} : tensor<128x32xf32, #[[BLOCKED]]>
  %1 = arith.addf %0, %0 : tensor<128x32xf32>
  // CHECK: %[[C:.*]] = ttg.convert_layout %[[S]] : tensor<128x32xf32, #[[BLOCKED]]> -> tensor<128x32xf32, #[[ROWS]]>
  // CHECK-NEXT: ttng.tmem_store %[[C]], %arg0, %true
  ttng.tmem_store %1, %m, %true : tensor<128x32xf32> -> !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory, mutable>
  // CHECK: %[[A:.*]] = ttg.convert_layout %[[S]] : {{.*}} -> tensor<128x32xf32, #[[ROWS]]>
  // CHECK-NEXT: ttng.tmem_alloc %[[A]]
  // CHECK-NEXT: tt.return
  %2 = ttng.tmem_alloc %1 : (tensor<128x32xf32>) -> !ttg.memdesc<128x32xf32, #tmem, #ttng.tensor_memory>
  tt.return
}

// -----

// CHECK: #[[FOUR:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
// CHECK-LABEL: @row_indices
tt.func @row_indices(%d: !tt.tensordesc<tensor<1x128xbf16, #shared>>, %y: i32, %m: !ttg.memdesc<32x128xbf16, #shared, #smem, mutable>) {
  %x = arith.constant dense<1> : tensor<32xi32>
  // CHECK: %[[X:.*]] = ttg.convert_layout %{{.*}} -> tensor<32xi32, #ttg.slice<{dim = 0, parent = #[[FOUR]]}>>
  // CHECK-NEXT: ttng.async_tma_scatter %arg0[%[[X]], %arg1] %arg2
  ttng.async_tma_scatter %d[%x, %y] %m : !tt.tensordesc<tensor<1x128xbf16, #shared>>, tensor<32xi32>, i32, !ttg.memdesc<32x128xbf16, #shared, #smem, mutable>
  tt.return
}

// -----

// Other operations keep the cast.
// CHECK-LABEL: @other
tt.func @other(%x: tensor<64xf32>) {
  // CHECK: %[[C:.*]] = builtin.unrealized_conversion_cast %arg0 : tensor<64xf32, #[[B:.*]]> to tensor<64xf32>
  // CHECK-NEXT: %[[R:.*]] = "test.op"(%[[C]]) : (tensor<64xf32>) -> tensor<64xf32>
  %0 = "test.op"(%x) : (tensor<64xf32>) -> tensor<64xf32>
  // CHECK-NEXT: %[[L:.*]] = ttg.convert_layout %[[R]] : tensor<64xf32> -> tensor<64xf32, #[[B]]>
  // CHECK-NEXT: arith.addf %[[L]], %[[L]]
  %1 = arith.addf %0, %0 : tensor<64xf32>
  tt.return
}
