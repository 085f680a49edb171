// RUN: weft opt %s -p tritongpu-reorder-instructions | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#column = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#turned = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// A conversion waits for buffers that are freed before it is needed.
// CHECK-LABEL: @sink
// CHECK: ttg.local_load
// CHECK-NEXT: ttg.local_dealloc
// CHECK-NEXT: %[[C:.*]] = ttg.convert_layout
// CHECK-NEXT: arith.addf %[[C]]
tt.func public @sink(%x: tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #column> {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
  %0 = ttg.convert_layout %x : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #column>
  %1 = ttg.local_load %buffer : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #column>
  ttg.local_dealloc %buffer : !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
  %2 = arith.addf %0, %1 : tensor<32x32xf32, #column>
  tt.return %2 : tensor<32x32xf32, #column>
}

// An operand is loaded in the loop that uses it, the second one after the first.
// CHECK-LABEL: @operands
// CHECK: scf.for
// CHECK: %[[A:.*]] = ttg.local_load %arg0
// CHECK-NEXT: %[[B:.*]] = ttg.local_load %arg1
// CHECK-NEXT: tt.dot %[[A]], %[[B]]
tt.func public @operands(%p: !ttg.memdesc<64x32xf16, #shared, #smem>, %q: !ttg.memdesc<32x64xf16, #shared, #smem>, %n: i32, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = ttg.local_load %p : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #a>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %b = ttg.local_load %q : !ttg.memdesc<32x64xf16, #shared, #smem> -> tensor<32x64xf16, #b>
    %d = tt.dot %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A local_alloc moves right after its operand, and a tt.trans right after its own.
// CHECK-LABEL: @follow
// CHECK: %[[X:.*]] = tt.load
// CHECK-NEXT: %[[BUFFER:.*]] = ttg.local_alloc %[[X]]
// CHECK-NEXT: %[[TURNED:.*]] = ttg.memdesc_trans %[[BUFFER]]
// CHECK-NEXT: arith.addi
tt.func public @follow(%p: tensor<32x32x!tt.ptr<f16>, #blocked>, %n: i32, %q: !tt.ptr<i32>) -> tensor<32x32xf16, #column> {
  %x = tt.load %p : tensor<32x32x!tt.ptr<f16>, #blocked>
  %m = arith.addi %n, %n : i32
  tt.store %q, %m : !tt.ptr<i32>
  %buffer = ttg.local_alloc %x : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #smem>
  tt.store %q, %n : !tt.ptr<i32>
  %turned = ttg.memdesc_trans %buffer {order = array<i32: 1, 0>} : !ttg.memdesc<32x32xf16, #shared, #smem> -> !ttg.memdesc<32x32xf16, #turned, #smem>
  %y = ttg.local_load %turned : !ttg.memdesc<32x32xf16, #turned, #smem> -> tensor<32x32xf16, #column>
  tt.return %y : tensor<32x32xf16, #column>
}

// The buffer of a constant or of a splat stays where it is.
// CHECK-LABEL: @uniform
// CHECK: %[[ZERO:.*]] = arith.constant
// CHECK-NEXT: %[[S:.*]] = tt.splat
// CHECK-NEXT: tt.store
// CHECK-NEXT: ttg.local_alloc %[[ZERO]]
// CHECK-NEXT: ttg.local_alloc %[[S]]
tt.func public @uniform(%x: f16, %n: i32, %q: !tt.ptr<i32>) -> (!ttg.memdesc<32x32xf16, #shared, #smem>, !ttg.memdesc<32x32xf16, #shared, #smem>) {
  %zero = arith.constant dense<0.000000e+00> : tensor<32x32xf16, #blocked>
  %s = tt.splat %x : f16 -> tensor<32x32xf16, #blocked>
  tt.store %q, %n : !tt.ptr<i32>
  %a = ttg.local_alloc %zero : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #smem>
  %b = ttg.local_alloc %s : (tensor<32x32xf16, #blocked>) -> !ttg.memdesc<32x32xf16, #shared, #smem>
  tt.return %a, %b : !ttg.memdesc<32x32xf16, #shared, #smem>, !ttg.memdesc<32x32xf16, #shared, #smem>
}

// The second operand stays before a branch that writes memory.
// CHECK-LABEL: @branch_that_writes
// CHECK-NEXT: ttg.local_load %arg1
// CHECK-NEXT: scf.if
tt.func public @branch_that_writes(%p: !ttg.memdesc<64x32xf16, #shared, #smem>, %q: !ttg.memdesc<32x64xf16, #shared, #smem>, %c: i1, %zero: tensor<64x64xf32, #mma>, %r: !tt.ptr<i32>, %n: i32) -> tensor<64x64xf32, #mma> {
  %b = ttg.local_load %q : !ttg.memdesc<32x64xf16, #shared, #smem> -> tensor<32x64xf16, #b>
  %x = scf.if %c -> (tensor<64x64xf32, #mma>) {
    tt.store %r, %n : !tt.ptr<i32>
    %a = ttg.local_load %p : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #a>
    %d = tt.dot %a, %b, %zero : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  } else {
    scf.yield %zero : tensor<64x64xf32, #mma>
  }
  tt.return %x : tensor<64x64xf32, #mma>
}

// A transposition of a function argument stays.
// CHECK-LABEL: @transposed_argument
// CHECK-NEXT: arith.addi
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.trans %arg0
tt.func public @transposed_argument(%x: tensor<32x32xf16, #blocked>, %n: i32, %q: !tt.ptr<i32>) -> tensor<32x32xf16, #column> {
  %m = arith.addi %n, %n : i32
  tt.store %q, %m : !tt.ptr<i32>
  %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #column>
  tt.return %t : tensor<32x32xf16, #column>
}

// A write between the loads may be to their buffer.
// CHECK-LABEL: @written
// CHECK: %[[B:.*]] = ttg.local_load %arg1
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: %[[A:.*]] = ttg.local_load %arg0
// CHECK-NEXT: tt.dot %[[A]], %[[B]]
tt.func public @written(%p: !ttg.memdesc<64x32xf16, #shared, #smem>, %q: !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, %x: tensor<32x64xf16, #blocked>, %zero: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %b = ttg.local_load %q : !ttg.memdesc<32x64xf16, #shared, #smem, mutable> -> tensor<32x64xf16, #b>
  ttg.local_store %x, %q : tensor<32x64xf16, #blocked> -> !ttg.memdesc<32x64xf16, #shared, #smem, mutable>
  %a = ttg.local_load %p : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #a>
  %d = tt.dot %a, %b, %zero : tensor<64x32xf16, #a> * tensor<32x64xf16, #b> -> tensor<64x64xf32, #mma>
  tt.return %d : tensor<64x64xf32, #mma>
}
}
