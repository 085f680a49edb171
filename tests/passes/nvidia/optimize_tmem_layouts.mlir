// RUN: weft opt %s -p triton-nvidia-optimize-tmem-layouts --split-input-file | filecheck %s

#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#pair = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 8], [0, 0, 16], [0, 1, 0]], lane = [[1, 0, 0], [2, 0, 0], [4, 0, 0], [8, 0, 0], [16, 0, 0]], warp = [[32, 0, 0], [64, 0, 0]], block = []}>
#last = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [0, 4, 0], [0, 8, 0], [0, 16, 0], [0, 0, 1]], lane = [[1, 0, 0], [2, 0, 0], [4, 0, 0], [8, 0, 0], [16, 0, 0]], warp = [[32, 0, 0], [64, 0, 0]], block = []}>
#half = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @split
// CHECK-NEXT: %[[A:.*]] = ttng.tmem_subslice %arg0 {N = 0 : i32} : {{.*}} -> !ttg.memdesc<128x32xf32, #{{.*}}, #ttng.tensor_memory, mutable, 128x64>
// CHECK-NEXT: ttng.tmem_load %[[A]]
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: %[[B:.*]] = ttng.tmem_subslice %arg0 {N = 32 : i32}
// CHECK-NEXT: ttng.tmem_load %[[B]]
// CHECK-NOT: tt.split
tt.func public @split(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) -> (tensor<128x32xf32, #half>, tensor<128x32xf32, #half>) {
  %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  %r = tt.reshape %x : tensor<128x64xf32, #linear> -> tensor<128x2x32xf32, #pair>
  %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<128x2x32xf32, #pair> -> tensor<128x32x2xf32, #last>
  %l, %h = tt.split %t : tensor<128x32x2xf32, #last> -> tensor<128x32xf32, #half>
  tt.return %l, %h : tensor<128x32xf32, #half>, tensor<128x32xf32, #half>
}

// CHECK-LABEL: @join
// CHECK: %[[A:.*]] = ttng.tmem_subslice %arg0 {N = 0 : i32}
// CHECK: ttng.tmem_store %{{.*}}, %[[A]], %true
// CHECK: %[[B:.*]] = ttng.tmem_subslice %arg0 {N = 32 : i32}
// CHECK: ttng.tmem_store %{{.*}}, %[[B]], %true
// CHECK-NOT: ttng.tmem_store
tt.func public @join(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %l: tensor<128x32xf32, #half>, %h: tensor<128x32xf32, #half>) {
  %true = arith.constant true
  %j = tt.join %l, %h : tensor<128x32xf32, #half> -> tensor<128x32x2xf32, #last>
  %t = tt.trans %j {order = array<i32: 0, 2, 1>} : tensor<128x32x2xf32, #last> -> tensor<128x2x32xf32, #pair>
  %r = tt.reshape %t : tensor<128x2x32xf32, #pair> -> tensor<128x64xf32, #linear>
  ttng.tmem_store %r, %m, %true : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
}

// -----

#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [0, 32]], block = []}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// Rows that are reduced stay with one of eight warps.
// CHECK-DAG: #[[ROWS:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [0, 32]], warp = {{\[\[}}32, 0], [64, 0], [16, 0]], block = []}>
// CHECK-LABEL: @rows
// CHECK: ttng.tmem_load {{.*}} -> tensor<128x64xf32, #[[ROWS]]>
// CHECK-NEXT: ttg.convert_layout
tt.func public @rows(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #linear}>> {
  %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  %y = arith.addf %x, %x : tensor<128x64xf32, #linear>
  %s = "tt.reduce"(%y) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<128x64xf32, #linear>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #linear}>>
  tt.return %s : tensor<128xf32, #ttg.slice<{dim = 1, parent = #linear}>>
}

// Columns that are reduced do not ask for it.
// CHECK-LABEL: @columns
// CHECK: ttng.tmem_load
// CHECK-NEXT: "tt.reduce"
tt.func public @columns(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #linear}>> {
  %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<128x64xf32, #linear>) -> tensor<64xf32, #ttg.slice<{dim = 0, parent = #linear}>>
  tt.return %s : tensor<64xf32, #ttg.slice<{dim = 0, parent = #linear}>>
}
}

// -----

// The same with two CTAs, which have 128 rows each.
// CHECK-DAG: #[[HALF:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}32, 0], [64, 0]], block = {{\[\[}}128, 0]]}>
// CHECK-DAG: #[[MEMORY:.*]] = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1, CTASplitM = 2>
#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = [[128, 0]]}>
#pair = #ttg.linear<{register = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 8], [0, 0, 16], [0, 1, 0]], lane = [[1, 0, 0], [2, 0, 0], [4, 0, 0], [8, 0, 0], [16, 0, 0]], warp = [[32, 0, 0], [64, 0, 0]], block = [[128, 0, 0]]}>
#last = #ttg.linear<{register = [[0, 1, 0], [0, 2, 0], [0, 4, 0], [0, 8, 0], [0, 16, 0], [0, 0, 1]], lane = [[1, 0, 0], [2, 0, 0], [4, 0, 0], [8, 0, 0], [16, 0, 0]], warp = [[32, 0, 0], [64, 0, 0]], block = [[128, 0, 0]]}>
#half = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = [[128, 0]]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CTASplitM = 2>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @split_of_two_ctas
// CHECK: ttng.tmem_load {{.*}} : !ttg.memdesc<256x32xf32, #[[MEMORY]], #ttng.tensor_memory, mutable, 256x64> -> tensor<256x32xf32, #[[HALF]]>
tt.func public @split_of_two_ctas(%m: !ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable>) -> (tensor<256x32xf32, #half>, tensor<256x32xf32, #half>) {
  %x = ttng.tmem_load %m : !ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<256x64xf32, #linear>
  %r = tt.reshape %x : tensor<256x64xf32, #linear> -> tensor<256x2x32xf32, #pair>
  %t = tt.trans %r {order = array<i32: 0, 2, 1>} : tensor<256x2x32xf32, #pair> -> tensor<256x32x2xf32, #last>
  %l, %h = tt.split %t : tensor<256x32x2xf32, #last> -> tensor<256x32xf32, #half>
  tt.return %l, %h : tensor<256x32xf32, #half>, tensor<256x32xf32, #half>
}
}

// -----

#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [0, 32]], block = [[128, 0]]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CTASplitM = 2>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-DAG: #[[ROWS:.*]] = #ttg.linear<{{.*}} lane = {{.*}} [8, 0], [0, 32]], warp = {{\[\[}}32, 0], [64, 0], [16, 0]], block = {{\[\[}}128, 0]]}>
// CHECK-LABEL: @rows_of_two_ctas
// CHECK: ttng.tmem_load {{.*}} -> tensor<256x64xf32, #[[ROWS]]>
tt.func public @rows_of_two_ctas(%m: !ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable>) -> tensor<256xf32, #ttg.slice<{dim = 1, parent = #linear}>> {
  %x = ttng.tmem_load %m : !ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<256x64xf32, #linear>
  %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<256x64xf32, #linear>) -> tensor<256xf32, #ttg.slice<{dim = 1, parent = #linear}>>
  tt.return %s : tensor<256xf32, #ttg.slice<{dim = 1, parent = #linear}>>
}
}

// -----

// A transposed tile from and to shared memory has the layout 16x256b; row 16 is in another register.
#rows = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#columns = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-DAG: #[[WIDE:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [16, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}32, 0], [64, 0]], block = []}>
// CHECK-LABEL: @from_transposed
// CHECK: %[[T:.*]] = tt.trans
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %[[T]] : {{.*}} -> tensor<128x64xf32, #[[WIDE]]>
// CHECK-NEXT: ttng.tmem_store %[[C]]
tt.func public @from_transposed(%s: !ttg.memdesc<64x128xf16, #shared, #smem, mutable>, %m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  %x = ttg.local_load %s : !ttg.memdesc<64x128xf16, #shared, #smem, mutable> -> tensor<64x128xf16, #columns>
  %y = arith.extf %x : tensor<64x128xf16, #columns> to tensor<64x128xf32, #columns>
  %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x128xf32, #columns> -> tensor<128x64xf32, #rows>
  ttng.tmem_store %t, %m, %true : tensor<128x64xf32, #rows> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}

// CHECK-LABEL: @to_transposed
// CHECK: ttng.tmem_load {{.*}} -> tensor<128x64xf32, #[[WIDE]]>
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: tt.trans
tt.func public @to_transposed(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %s: !ttg.memdesc<64x128xf16, #shared, #smem, mutable>) {
  %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #rows>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf32, #rows> -> tensor<64x128xf32, #columns>
  %y = arith.truncf %t : tensor<64x128xf32, #columns> to tensor<64x128xf16, #columns>
  ttg.local_store %y, %s : tensor<64x128xf16, #columns> -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
  tt.return
}

// Elements of 32 bits are not transposed by stmatrix, nor are rows that stay rows.
// CHECK-LABEL: @to_wide_or_rows
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @to_wide_or_rows(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %s: !ttg.memdesc<64x128xf32, #shared, #smem, mutable>, %r: !ttg.memdesc<128x64xf16, #shared, #smem, mutable>) {
  %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #rows>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf32, #rows> -> tensor<64x128xf32, #columns>
  ttg.local_store %t, %s : tensor<64x128xf32, #columns> -> !ttg.memdesc<64x128xf32, #shared, #smem, mutable>
  %y = arith.truncf %x : tensor<128x64xf32, #rows> to tensor<128x64xf16, #rows>
  ttg.local_store %y, %r : tensor<128x64xf16, #rows> -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  tt.return
}
}

// -----

// Of eight warps, warps 4 to 7 have row 16. A reduction along the rows decides first.
#rows = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [0, 32]], block = []}>
#columns = #ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32], [0, 64], [32, 0]], block = []}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-DAG: #[[WIDE:.*]] = #ttg.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}32, 0], [64, 0], [16, 0]], block = []}>
// CHECK-LABEL: @to_transposed_of_eight_warps
// CHECK: ttng.tmem_load {{.*}} -> tensor<128x64xf32, #[[WIDE]]>
tt.func public @to_transposed_of_eight_warps(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %s: !ttg.memdesc<64x128xf16, #shared, #smem, mutable>) {
  %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #rows>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x64xf32, #rows> -> tensor<64x128xf32, #columns>
  %y = arith.truncf %t : tensor<64x128xf32, #columns> to tensor<64x128xf16, #columns>
  ttg.local_store %y, %s : tensor<64x128xf16, #columns> -> !ttg.memdesc<64x128xf16, #shared, #smem, mutable>
  tt.return
}
}
