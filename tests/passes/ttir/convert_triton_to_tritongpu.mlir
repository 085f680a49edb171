// RUN: weft opt %s -p 'convert-triton-to-tritongpu{target=cuda:80 num-warps=4 threads-per-warp=32}' --split-input-file | filecheck %s

// The default layout of each shape, dealt from the last dimension on.
// CHECK-DAG: #[[LINE:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[SQUARE:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32}

// CHECK-LABEL: tt.func public @dimensions
tt.func public @dimensions() {
  // CHECK: %[[RANGE:.*]] = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #[[LINE]]>
  // CHECK-NEXT: %[[SLICED:.*]] = ttg.convert_layout %[[RANGE]] : tensor<128xi32, #[[LINE]]> -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #[[COLUMN:.*]]}>>
  // CHECK-NEXT: %[[WIDE:.*]] = tt.expand_dims %[[SLICED]] {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #[[COLUMN]]}>> -> tensor<128x1xi32, #[[COLUMN]]>
  // CHECK-NEXT: %[[DEFAULT:.*]] = ttg.convert_layout %[[WIDE]] : tensor<128x1xi32, #[[COLUMN]]> -> tensor<128x1xi32, #[[ROWS:.*]]>
  // CHECK-NEXT: tt.broadcast %[[DEFAULT]] : tensor<128x1xi32, #[[ROWS]]> -> tensor<128x32xi32, #[[ROWS]]>
  %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %2 = tt.broadcast %1 : tensor<128x1xi32> -> tensor<128x32xi32>
  tt.return
}

// CHECK-LABEL: tt.func public @dot
tt.func public @dot(%p: f16, %q: f32, %n: i32) {
  // CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<128x128xf32, #[[WHOLE:.*]]>)
  // CHECK-NEXT: %[[A:.*]] = ttg.convert_layout %{{.*}} : tensor<128x32xf16, {{.*}}> -> tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[SQUARE]]}>>
  // CHECK-NEXT: %[[B:.*]] = ttg.convert_layout %{{.*}} : tensor<32x128xf16, {{.*}}> -> tensor<32x128xf16, #ttg.dot_op<{opIdx = 1, parent = #[[SQUARE]]}>>
  // CHECK-NEXT: %[[C:.*]] = ttg.convert_layout %[[ACC]] : tensor<128x128xf32, #[[WHOLE]]> -> tensor<128x128xf32, #[[SQUARE]]>
  // CHECK-NEXT: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[C]]
  // CHECK-NEXT: %[[BACK:.*]] = ttg.convert_layout %[[D]] : tensor<128x128xf32, #[[SQUARE]]> -> tensor<128x128xf32, #[[WHOLE]]>
  // CHECK-NEXT: scf.yield %[[BACK]]
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tt.splat %p : f16 -> tensor<128x32xf16>
  %b = tt.splat %p : f16 -> tensor<32x128xf16>
  %c = tt.splat %q : f32 -> tensor<128x128xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> (tensor<128x128xf32>) : i32 {
    %d = tt.dot %a, %b, %acc : tensor<128x32xf16> * tensor<32x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  tt.return
}

// CHECK-LABEL: tt.func public @reduce
tt.func public @reduce(%q: f32) {
  // CHECK: }) : (tensor<32x128xf32, #[[WHOLE]]>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #[[WHOLE]]}>>
  // CHECK-NEXT: ttg.convert_layout %{{.*}} : tensor<32xf32, #ttg.slice<{dim = 1, parent = #[[WHOLE]]}>> -> tensor<32xf32, #[[LINE]]>
  %0 = tt.splat %q : f32 -> tensor<32x128xf32>
  %1 = "tt.reduce"(%0) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %2 = arith.addf %a, %b : f32
    tt.reduce.return %2 : f32
  }) : (tensor<32x128xf32>) -> tensor<32xf32>
  %3 = math.exp %1 : tensor<32xf32>
  tt.return
}

// -----

// Tensors that have a layout keep it; TTIR takes what has none by a conversion.
// CHECK: #[[OWN:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#own = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-LABEL: @partial
// CHECK-SAME: %arg0: tensor<512xi32, #[[OWN]]>
tt.func public @partial(%x: tensor<512xi32, #own>) {
  // CHECK-NEXT: %[[A:.*]] = arith.addi %arg0, %arg0 : tensor<512xi32, #[[OWN]]>
  %0 = arith.addi %x, %x : tensor<512xi32, #own>
  // CHECK-NEXT: %[[P:.*]] = ttg.convert_layout %[[A]] : tensor<512xi32, #[[OWN]]> -> tensor<512xi32>
  %1 = ttg.convert_layout %0 : tensor<512xi32, #own> -> tensor<512xi32>
  // CHECK-NEXT: %[[D:.*]] = ttg.convert_layout %[[P]] : tensor<512xi32> -> tensor<512xi32, #[[DEFAULT:.*]]>
  // CHECK-NEXT: arith.addi %[[D]], %[[D]] : tensor<512xi32, #[[DEFAULT]]>
  %2 = arith.addi %1, %1 : tensor<512xi32>
  tt.return
}
