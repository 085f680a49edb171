// RUN: weft opt %s -p triton-test-loop-peeling --allow-unregistered-dialect | filecheck %s

// CHECK-LABEL: @marked
// CHECK: %[[UB:.*]] = arith.subi %arg1, %arg2 : i32
// CHECK: %[[R:.*]] = scf.for %{{.*}} = %arg0 to %[[UB]] step %arg2
// CHECK: "test.use"
// CHECK: %[[C:.*]] = arith.cmpi slt, %arg0, %arg1 : i32
// CHECK: %[[IF:.*]] = scf.if %[[C]] -> (i32) {
// CHECK: %[[LAST:.*]] = "test.use"
// CHECK: arith.addi %[[R]], %[[LAST]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[R]] : i32
// CHECK: tt.return %[[IF]] : i32
tt.func @marked(%lb: i32, %ub: i32, %step: i32) -> i32 {
  %r = scf.for %i = %lb to %ub step %step iter_args(%a = %lb) -> (i32) : i32 {
    %0 = "test.use"(%i) : (i32) -> i32
    %1 = arith.addi %a, %0 : i32
    scf.yield %1 : i32
  } {__test_peel_epilogue}
  tt.return %r : i32
}

// CHECK-LABEL: @not_marked
// CHECK-NEXT: scf.for %{{.*}} = %arg0 to %arg1 step %arg2
// CHECK-NOT: scf.if
tt.func @not_marked(%lb: i32, %ub: i32, %step: i32) {
  scf.for %i = %lb to %ub step %step : i32 {
    %0 = "test.use"(%i) : (i32) -> i32
  }
  tt.return
}
