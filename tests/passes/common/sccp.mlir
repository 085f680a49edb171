// RUN: weft opt %s -p sccp --split-input-file | filecheck %s

// CHECK-LABEL: @round_a_loop
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: scf.for
// CHECK-NEXT: tt.store %arg0, %[[C2]]
// CHECK-NEXT: scf.yield %[[C2]]
// CHECK: tt.store %arg0, %[[C2]]
tt.func public @round_a_loop(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c2) -> (i32) : i32 {
    %b = arith.muli %a, %c1 : i32
    tt.store %p, %b : !tt.ptr<i32>
    scf.yield %b : i32
  }
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}

// -----

// A branch that cannot execute does not contribute, and stays unchanged.
// CHECK-LABEL: @one_side
// CHECK: %[[C3:.*]] = arith.constant 3 : i32
// CHECK: } else {
// CHECK-NEXT: arith.muli %arg1, %arg1
// CHECK: tt.store %arg0, %[[C3]]
tt.func public @one_side(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %less = arith.cmpi slt, %c1, %c2 : i32
  %r = scf.if %less -> (i32) {
    %s = arith.addi %c1, %c2 : i32
    scf.yield %s : i32
  } else {
    %m = arith.muli %n, %n : i32
    tt.store %p, %m : !tt.ptr<i32>
    scf.yield %m : i32
  }
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}

// -----

// Two edges pass the same constant to a block.
// CHECK-LABEL: @meet
// CHECK: %[[C5:.*]] = arith.constant 5 : i32
// CHECK: tt.store %arg0, %[[C5]]
tt.func public @meet(%p: !tt.ptr<i32>, %n: i1) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  cf.cond_br %n, ^end(%c1 : i32), ^other
^other:
  %s = arith.subi %c2, %c1 : i32
  cf.br ^end(%s : i32)
^end(%x: i32):
  %q = arith.addi %x, %c4 : i32
  tt.store %p, %q : !tt.ptr<i32>
  tt.return
}

// -----

// A private function with the same constant argument in every call, and its results.
// CHECK-LABEL: @caller
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: tt.store %arg0, %[[C2]]
// CHECK-LABEL: tt.func private @callee
tt.func public @caller(%p: !tt.ptr<i32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %r = tt.call @callee(%c1, %n) : (i32, i32) -> i32
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}
tt.func private @callee(%a: i32, %b: i32) -> i32 attributes {noinline = true} {
  %s = arith.addi %a, %a : i32
  tt.print " b: " {hex = false, isSigned = array<i32: 1>} : %b : i32
  tt.return %s : i32
}

// -----

// Constants of a warp partition stay in it; the values of its captures are known inside.
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// CHECK-LABEL: @partition
// CHECK: partition0({{.*}}, %[[P:.*]]: !tt.ptr<i32>)
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: tt.store %[[P]], %[[C8]]
tt.func public @partition(%p: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  ttg.warp_specialize(%c1, %p)
  default {
    ttg.warp_yield
  }
  partition0(%a: i32, %q: !tt.ptr<i32>) num_warps(4) {
    %c7 = arith.constant 7 : i32
    %s = arith.addi %a, %c7 : i32
    tt.store %q, %s : !tt.ptr<i32>
    ttg.warp_return
  } : (i32, !tt.ptr<i32>) -> ()
  tt.return
}
}

// -----

// Folds in place are left to canonicalize.
// CHECK-LABEL: @in_place
// CHECK: %[[ONCE:.*]] = tt.trans %arg1 {order = array<i32: 1, 0>}
// CHECK-NEXT: tt.trans %[[ONCE]] {order = array<i32: 1, 0>}
tt.func public @in_place(%p: tensor<8x4x!tt.ptr<i32>>, %x: tensor<8x4xi32>) {
  %once = tt.trans %x {order = array<i32: 1, 0>} : tensor<8x4xi32> -> tensor<4x8xi32>
  %twice = tt.trans %once {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
  tt.store %p, %twice : tensor<8x4x!tt.ptr<i32>>
  tt.return
}
