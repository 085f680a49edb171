// RUN: weft opt %s -p triton-tensor-memory-allocation --split-input-file | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 128], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#rows = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [0, 1]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#half = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
// Both halves of the rows of the same columns are in use; 128 + 64 columns are rounded up to 256.
// CHECK: module attributes {{.*}}ttg.shared = 4 : i32{{.*}}ttg.tensor_memory_size = 256 : i32
// CHECK-LABEL: @together
// CHECK: ttng.tmem_alloc {tensor_memory_col_offset = 0 : i32, tensor_memory_row_offset = 0 : i32}
// CHECK: ttng.tmem_alloc {tensor_memory_col_offset = 128 : i32, tensor_memory_row_offset = 0 : i32}
// CHECK: ttng.tmem_alloc {tensor_memory_col_offset = 128 : i32, tensor_memory_row_offset = 16 : i32}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @together() {
  %a = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  %b = ttng.tmem_alloc : () -> !ttg.memdesc<64x64xf32, #half, #ttng.tensor_memory, mutable>
  %c = ttng.tmem_alloc : () -> !ttg.memdesc<64x64xf32, #half, #ttng.tensor_memory, mutable>
  %x = ttng.tmem_load %a : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked>
  %y = ttng.tmem_load %b : !ttg.memdesc<64x64xf32, #half, #ttng.tensor_memory, mutable> -> tensor<64x64xf32, #rows>
  %z = ttng.tmem_load %c : !ttg.memdesc<64x64xf32, #half, #ttng.tensor_memory, mutable> -> tensor<64x64xf32, #rows>
  tt.return
}

// A buffer takes the columns of one that is not used any more, but not while a loop uses that.
// CHECK-LABEL: @loop
// CHECK: ttng.tmem_alloc {tensor_memory_col_offset = 0 : i32
// CHECK: ttng.tmem_alloc {tensor_memory_col_offset = 128 : i32
// CHECK: ttng.tmem_alloc {tensor_memory_col_offset = 0 : i32
tt.func public @loop(%n: i1) {
  %a = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  cf.br ^bb1
^bb1:
  cf.cond_br %n, ^bb2, ^bb3
^bb2:
  %u = ttng.tmem_load %a : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked>
  %b = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  %v = ttng.tmem_load %b : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked>
  cf.br ^bb1
^bb3:
  %c = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
  %w = ttng.tmem_load %c : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked>
  tt.return
}
}

// -----

// CHECK: module attributes {{.*}}ttg.tensor_memory_size = 0 : i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @none() {
  tt.return
}
}
