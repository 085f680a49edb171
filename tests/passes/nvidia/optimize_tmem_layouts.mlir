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
