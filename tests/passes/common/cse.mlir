// RUN: weft opt %s -p cse | filecheck %s

// CHECK-LABEL: @merge
// CHECK-NEXT: %[[S:.*]] = tt.splat %arg0
// CHECK-NEXT: %[[A:.*]] = arith.addi %[[S]], %arg1
// CHECK-NEXT: %[[R:.*]] = arith.muli %[[A]], %[[A]]
// CHECK-NEXT: tt.return %[[R]]
tt.func public @merge(%x: i32, %t: tensor<8xi32>) -> tensor<8xi32> {
  %0 = tt.splat %x : i32 -> tensor<8xi32>
  %1 = tt.splat %x : i32 -> tensor<8xi32>
  %2 = arith.addi %0, %t : tensor<8xi32>
  %3 = arith.addi %t, %1 : tensor<8xi32>
  %4 = arith.muli %2, %3 : tensor<8xi32>
  tt.return %4 : tensor<8xi32>
}

// A load is merged only while nothing writes in between.
// CHECK-LABEL: @memory
// CHECK-COUNT-2: tt.load
// CHECK-NOT: tt.load
// CHECK: tt.return
tt.func public @memory(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) -> (i32, i32, i32) {
  %0 = tt.load %p : !tt.ptr<i32>
  %1 = tt.load %p : !tt.ptr<i32>
  tt.store %q, %1 : !tt.ptr<i32>
  %2 = tt.load %p : !tt.ptr<i32>
  tt.return %0, %1, %2 : i32, i32, i32
}

// A branch reuses operations before the conditional, but none of the other branch.
// CHECK-LABEL: @branches
// CHECK-COUNT-3: arith.muli
// CHECK-NOT: arith.muli
// CHECK: tt.return
tt.func public @branches(%c: i1, %x: i32, %y: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %1 = arith.muli %x, %x : i32
  %2 = arith.muli %y, %1 : i32
  tt.return %2 : i32
^bb2:
  %3 = arith.muli %y, %0 : i32
  tt.return %3 : i32
}

// Reductions merge if their regions are alike.
// CHECK-LABEL: @reductions
// CHECK-COUNT-2: "tt.reduce"
// CHECK-NOT: "tt.reduce"
// CHECK: tt.return
tt.func public @reductions(%t: tensor<8xi32>) -> (i32, i32, i32) {
  %0 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<8xi32>) -> i32
  %1 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<8xi32>) -> i32
  %2 = "tt.reduce"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.maxsi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<8xi32>) -> i32
  tt.return %0, %1, %2 : i32, i32, i32
}
