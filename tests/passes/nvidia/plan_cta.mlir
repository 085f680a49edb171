// RUN: weft opt %s -p triton-nvidia-gpu-plan-cta --split-input-file | filecheck %s

// One block has all of it.

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @alone
// CHECK-NEXT: %0 = tt.dot %arg0, %arg1, %arg2 :
// CHECK-NEXT: tt.return %0
tt.func public @alone(%x: tensor<64x32xf16, #a>, %y: tensor<32x64xf16, #b>, %c: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked> {
  %0 = tt.dot %x, %y, %c : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #blocked>
  tt.return %0 : tensor<64x64xf32, #blocked>
}
}

// -----

// A dot of 128 rows is split along N: both CTAs load the left operand, and each loads its columns of
// the right one and stores its columns of the result.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK: [[ROWS:#[a-z0-9]+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = {{\[\[1, 0\]\]}}}>
// CHECK: [[COPIES:#[a-z0-9]+]] = #ttg.blocked<{{.*}}CGALayout = {{\[\[0, 0\]\]}}}>
// CHECK: [[COLUMNS:#[a-z0-9]+]] = #ttg.blocked<{{.*}}CGALayout = {{\[\[0, 1\]\]}}}>
// CHECK-LABEL: @columns
// CHECK: tt.load {{.*}} : tensor<128x32x!tt.ptr<f16>, [[COPIES]]>
// CHECK: tt.load {{.*}} : tensor<32x128x!tt.ptr<f16>, [[COLUMNS]]>
// CHECK: tt.dot {{.*}} -> tensor<128x128xf32, [[COLUMNS]]>
// CHECK: tt.store {{.*}} : tensor<128x128x!tt.ptr<f32>, [[COLUMNS]]>
tt.func public @columns(%p: tensor<128x32x!tt.ptr<f16>, #blocked>, %q: tensor<32x128x!tt.ptr<f16>, #blocked>, %r: tensor<128x128x!tt.ptr<f32>, #blocked>, %c: tensor<128x128xf32, #blocked>) {
  %0 = tt.load %p : tensor<128x32x!tt.ptr<f16>, #blocked>
  %1 = tt.load %q : tensor<32x128x!tt.ptr<f16>, #blocked>
  %2 = ttg.convert_layout %0 : tensor<128x32xf16, #blocked> -> tensor<128x32xf16, #a>
  %3 = ttg.convert_layout %1 : tensor<32x128xf16, #blocked> -> tensor<32x128xf16, #b>
  %4 = tt.dot %2, %3, %c : tensor<128x32xf16, #a> * tensor<32x128xf16, #b> -> tensor<128x128xf32, #blocked>
  tt.store %r, %4 : tensor<128x128x!tt.ptr<f32>, #blocked>
  tt.return
}
}

// -----

// A reduction along columns, and its load, are split along rows.
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK: [[ROWS:#[a-z0-9]+]] = #ttg.blocked<{{.*}}CGALayout = {{\[\[1, 0\]\]}}}>
// CHECK-LABEL: @rows
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f32>, [[ROWS]]>
// CHECK: "tt.reduce"
// CHECK: (tensor<64x128xf32, [[ROWS]]>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = [[ROWS]]}>>
tt.func public @rows(%p: tensor<64x128x!tt.ptr<f32>, #blocked>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>> {
  %0 = tt.load %p : tensor<64x128x!tt.ptr<f32>, #blocked>
  %1 = "tt.reduce"(%0) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tt.reduce.return %s : f32
  }) : (tensor<64x128xf32, #blocked>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
  tt.return %1 : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
}
}

// -----

// A row that is alone stays cut: its parts meet in the memory of the cluster.
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @row
// CHECK-NEXT: "tt.reduce"(%arg0)
tt.func public @row(%x: tensor<1024xf32, #blocked>) -> f32 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<1024xf32, #blocked>) -> f32
  tt.return %0 : f32
}
}
