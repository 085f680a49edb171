// RUN: weft opt %s -p inline --split-input-file | filecheck %s

// A private function that is called once is moved, one that is called twice is copied.
// CHECK-LABEL: @caller
// CHECK-NEXT: %[[A:.*]] = arith.addf %arg0, %arg0 : f32
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[A]] : f32
// CHECK-NEXT: tt.return %[[B]]
// CHECK-NOT: tt.func private
tt.func public @caller(%x: f32) -> f32 {
  %0 = tt.call @twice(%x) : (f32) -> f32
  %1 = tt.call @twice(%0) : (f32) -> f32
  tt.return %1 : f32
}
tt.func private @twice(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  tt.return %0 : f32
}

// -----

// Early returns become branches to the block after the call.
// CHECK-LABEL: @early
// CHECK: cf.cond_br %{{.*}}, ^[[END:.*]](%arg0 : i32), ^[[ELSE:.*]]
// CHECK: arith.muli
// CHECK: cf.br ^{{.*}}(%{{.*}} : i32)
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %arg0 : i32
// CHECK: tt.return %[[SUM]]
tt.func public @early(%x: i32, %p: !tt.ptr<i32>) -> i32 {
  %0 = tt.call @clip(%x, %p) : (i32, !tt.ptr<i32>) -> i32
  %1 = arith.addi %0, %x : i32
  tt.return %1 : i32
}
tt.func private @clip(%a: i32, %p: !tt.ptr<i32>) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = arith.cmpi slt, %a, %c0 : i32
  cf.cond_br %0, ^bb1, ^bb2
^bb1:
  tt.return %a : i32
^bb2:
  tt.store %p, %a : !tt.ptr<i32>
  %1 = arith.muli %a, %a : i32
  tt.return %1 : i32
}

// -----

// CHECK-LABEL: @kept
// CHECK: tt.call @out_of_line
// CHECK: tt.call @itself
tt.func public @kept(%x: i32) -> i32 {
  %0 = tt.call @out_of_line(%x) : (i32) -> i32
  %1 = tt.call @itself(%0) : (i32) -> i32
  tt.return %1 : i32
}
tt.func private @out_of_line(%a: i32) -> i32 attributes {noinline = true} {
  tt.return %a : i32
}
tt.func private @itself(%a: i32) -> i32 {
  %0 = tt.call @itself(%a) : (i32) -> i32
  tt.return %0 : i32
}

// -----

// A private function that nothing calls is erased; what it calls stays.
// CHECK-NOT: @unused
// CHECK: tt.func private @called_by_unused
// CHECK: tt.func public @without_calls
tt.func private @called_by_unused(%a: i32) -> i32 attributes {noinline = true} {
  tt.return %a : i32
}
tt.func private @unused(%a: i32) -> i32 attributes {noinline = true} {
  %0 = tt.call @called_by_unused(%a) : (i32) -> i32
  tt.return %0 : i32
}
tt.func public @without_calls(%p: !tt.ptr<i32>, %x: i32) {
  tt.store %p, %x : !tt.ptr<i32>
  tt.return
}

// -----

// A callee with several blocks is inlined into the region of a map, which may have several, too.
// CHECK-LABEL: tt.func @map
// CHECK: "tt.map_elementwise"
// CHECK-NEXT: ^bb0(%[[A:.*]]: i32):
// CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2
// CHECK: ^bb1:
// CHECK: cf.br ^bb3
// CHECK: ^bb2:
// CHECK: cf.br ^bb3
// CHECK: ^bb3(%[[R:.*]]: i32):
// CHECK-NEXT: tt.map_elementwise.return %[[R]] : i32
// CHECK-NOT: @early_return
tt.func private @early_return(%a: i32) -> i32 attributes {noinline = false} {
  %c7 = arith.constant 7 : i32
  %0 = arith.cmpi slt, %a, %c7 : i32
  cf.cond_br %0, ^bb1, ^bb2
^bb1:
  %1 = arith.muli %a, %c7 : i32
  tt.return %1 : i32
^bb2:
  %2 = arith.divsi %a, %c7 : i32
  %3 = arith.addi %2, %c7 : i32
  tt.return %3 : i32
}
tt.func @map(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %1 = tt.call @early_return(%a) : (i32) -> i32
    tt.map_elementwise.return %1 : i32
  }) : (tensor<4xi32>) -> tensor<4xi32>
  tt.return %0 : tensor<4xi32>
}
