// RUN: weft opt %s -p tritongpu-prefetch --split-input-file | filecheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
#d0 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#d1 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// K = 64 in slices of 16: the first one was loaded in the iteration before, three follow.
// CHECK-LABEL: @slices
// CHECK: ttg.memdesc_subslice %arg1[0, 0] : {{.*}} -> !ttg.memdesc<64x16xf16, {{.*}} 64x64>
// CHECK-NEXT: %[[A:.*]] = ttg.local_load
// CHECK-NEXT: ttg.memdesc_subslice %arg2[0, 0] : {{.*}} -> !ttg.memdesc<16x32xf16, {{.*}} 64x32>
// CHECK-NEXT: %[[B:.*]] = ttg.local_load
// CHECK-NEXT: scf.for {{.*}} %[[X:[a-z0-9]*]] = %arg3, %[[NEXT_A:[a-z0-9]*]] = %[[A]], %[[NEXT_B:[a-z0-9]*]] = %[[B]])
// CHECK: ttg.memdesc_subslice {{.*}}[0, 16]
// CHECK: ttg.memdesc_subslice {{.*}}[16, 0]
// CHECK: tt.dot %[[NEXT_A]], %[[NEXT_B]], %[[X]]
// CHECK: tt.dot
// CHECK: tt.dot
// CHECK: %[[LAST:.*]] = tt.dot
// CHECK-NEXT: arith.addf %[[LAST]]
// CHECK: ttg.memdesc_subslice {{.*}}[0, 0]
// CHECK: scf.yield
// CHECK-NEXT: }{{$}}
tt.func public @slices(%n: i32, %a0: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %b0: !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, %acc: tensor<64x32xf32, #mma>) -> tensor<64x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0, %x = %acc) -> (!ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<64x32xf32, #mma>)  : i32 {
    %u = ttg.local_load %a : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf16, #d0>
    %v = ttg.local_load %b : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #d1>
    %d = tt.dot %u, %v, %x : tensor<64x64xf16, #d0> * tensor<64x32xf16, #d1> -> tensor<64x32xf32, #mma>
    %e = arith.addf %d, %d : tensor<64x32xf32, #mma>
    scf.yield %a, %b, %e : !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, !ttg.memdesc<64x32xf16, #shared, #smem, mutable>, tensor<64x32xf32, #mma>
  } {tt.num_stages = 3 : i32}
  tt.return %r#2 : tensor<64x32xf32, #mma>
}
tt.func public @cast(%n: i32, %a0: !ttg.memdesc<64x16xi8, #shared, #smem, mutable>, %b0: !ttg.memdesc<16x32xf16, #shared, #smem, mutable>, %acc: tensor<64x32xf32, #mma>) -> tensor<64x32xf32, #mma> {

// Casts are done per slice; a K of one slice leaves one product, after the loads.
// CHECK-LABEL: @cast
// CHECK: ttg.local_load
// CHECK-NEXT: arith.sitofp {{.*}} tensor<64x16xi8
// CHECK: scf.for
// CHECK: arith.sitofp
// CHECK: tt.dot
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0, %x = %acc) -> (!ttg.memdesc<64x16xi8, #shared, #smem, mutable>, !ttg.memdesc<16x32xf16, #shared, #smem, mutable>, tensor<64x32xf32, #mma>)  : i32 {
    %u = ttg.local_load %a : !ttg.memdesc<64x16xi8, #shared, #smem, mutable> -> tensor<64x16xi8, #d0>
    %w = arith.sitofp %u : tensor<64x16xi8, #d0> to tensor<64x16xf16, #d0>
    %v = ttg.local_load %b : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> tensor<16x32xf16, #d1>
    %d = tt.dot %w, %v, %x : tensor<64x16xf16, #d0> * tensor<16x32xf16, #d1> -> tensor<64x32xf32, #mma>
    scf.yield %a, %b, %d : !ttg.memdesc<64x16xi8, #shared, #smem, mutable>, !ttg.memdesc<16x32xf16, #shared, #smem, mutable>, tensor<64x32xf32, #mma>
  }
  tt.return %r#2 : tensor<64x32xf32, #mma>
}

// A loop whose operands come otherwise is made anew, without hints.
// CHECK-LABEL: @otherwise
// CHECK: scf.for
// CHECK: tt.dot
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }{{$}}
tt.func public @otherwise(%n: i32, %p: !ttg.memdesc<64x64xf16, #shared, #smem>, %q: !ttg.memdesc<64x32xf16, #shared, #smem>, %acc: tensor<64x32xf32, #mma>) -> tensor<64x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %acc) -> (tensor<64x32xf32, #mma>)  : i32 {
    %a = ttg.local_load %p : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #d0>
    %b = ttg.local_load %q : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #d1>
    %d = tt.dot %a, %b, %x : tensor<64x64xf16, #d0> * tensor<64x32xf16, #d1> -> tensor<64x32xf32, #mma>
    scf.yield %d : tensor<64x32xf32, #mma>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<64x32xf32, #mma>
}

// Loops with two dots stay unchanged, attributes included.
// CHECK-LABEL: @pair
// CHECK: } {tt.num_stages = 3 : i32}
tt.func public @pair(%n: i32, %p: !ttg.memdesc<64x64xf16, #shared, #smem>, %q: !ttg.memdesc<64x32xf16, #shared, #smem>, %acc: tensor<64x32xf32, #mma>) -> tensor<64x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %acc) -> (tensor<64x32xf32, #mma>)  : i32 {
    %a = ttg.local_load %p : !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf16, #d0>
    %b = ttg.local_load %q : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #d1>
    %d = tt.dot %a, %b, %x : tensor<64x64xf16, #d0> * tensor<64x32xf16, #d1> -> tensor<64x32xf32, #mma>
    %e = tt.dot %a, %b, %d : tensor<64x64xf16, #d0> * tensor<64x32xf16, #d1> -> tensor<64x32xf32, #mma>
    scf.yield %e : tensor<64x32xf32, #mma>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<64x32xf32, #mma>
}
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1, 1], instrShape = [1, 16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#smem = #ttg.shared_memory
#d0 = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#d1 = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// A batch of dots: K is the last dimension of a and the second of b.
// CHECK-LABEL: @batch
// CHECK: ttg.memdesc_subslice %arg1[0, 0, 0] : {{.*}} -> !ttg.memdesc<4x64x16xf16
// CHECK: ttg.memdesc_subslice %arg2[0, 0, 0] : {{.*}} -> !ttg.memdesc<4x16x32xf16
// CHECK: scf.for
// CHECK: ttg.memdesc_subslice {{.*}}[0, 0, 16] : {{.*}} -> !ttg.memdesc<4x64x16xf16
// CHECK: ttg.memdesc_subslice {{.*}}[0, 16, 0] : {{.*}} -> !ttg.memdesc<4x16x32xf16
tt.func public @batch(%n: i32, %a0: !ttg.memdesc<4x64x32xf16, #shared, #smem, mutable>, %b0: !ttg.memdesc<4x32x32xf16, #shared, #smem, mutable>, %acc: tensor<4x64x32xf32, #mma>) -> tensor<4x64x32xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0, %x = %acc) -> (!ttg.memdesc<4x64x32xf16, #shared, #smem, mutable>, !ttg.memdesc<4x32x32xf16, #shared, #smem, mutable>, tensor<4x64x32xf32, #mma>)  : i32 {
    %u = ttg.local_load %a : !ttg.memdesc<4x64x32xf16, #shared, #smem, mutable> -> tensor<4x64x32xf16, #d0>
    %v = ttg.local_load %b : !ttg.memdesc<4x32x32xf16, #shared, #smem, mutable> -> tensor<4x32x32xf16, #d1>
    %d = tt.dot %u, %v, %x : tensor<4x64x32xf16, #d0> * tensor<4x32x32xf16, #d1> -> tensor<4x64x32xf32, #mma>
    scf.yield %a, %b, %d : !ttg.memdesc<4x64x32xf16, #shared, #smem, mutable>, !ttg.memdesc<4x32x32xf16, #shared, #smem, mutable>, tensor<4x64x32xf32, #mma>
  }
  tt.return %r#2 : tensor<4x64x32xf32, #mma>
}
}
