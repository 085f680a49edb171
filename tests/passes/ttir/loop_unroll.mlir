// RUN: weft opt %s -p triton-loop-unroll | filecheck %s

// Nine iterations, unrolled by four: two iterations, and an epilogue of one that is inlined.
// CHECK-LABEL: @constant
// CHECK: %[[END:.*]] = arith.constant 8 : i32
// CHECK: %[[L:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[END]] step %{{.*}} iter_args(%[[A:.*]] = %arg0)
// CHECK: %[[S:.*]] = arith.addi %[[A]], %[[I]] : i32
// CHECK-COUNT-3: arith.muli
// CHECK: scf.yield
// CHECK: %[[R:.*]] = arith.addi %[[L]], %[[END]] : i32
// CHECK: tt.return %[[R]]
tt.func public @constant(%x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9 = arith.constant 9 : i32
  %0 = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %x) -> (i32) : i32 {
    %1 = arith.addi %a, %i : i32
    scf.yield %1 : i32
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return %0 : i32
}

// CHECK-LABEL: @computed
// CHECK: scf.for
// CHECK-NOT: tt.loop_unroll_factor
// CHECK: } {tt.num_stages = 3 : i32}
// CHECK: scf.for
// CHECK: } {tt.num_stages = 1 : i32}
tt.func public @computed(%n: i32, %x: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) : i32 {
    %1 = arith.addi %a, %i : i32
    scf.yield %1 : i32
  } {tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32}
  tt.return %0 : i32
}
