// RUN: weft opt %s -p print-axis-info | filecheck %s

// The IR does not change; the table is printed to standard error.
// CHECK-LABEL: @sum
// CHECK: %[[R:.*]] = tt.make_range
// CHECK-NEXT: %[[S:.*]] = tt.splat %arg0 : i32 -> tensor<64xi32>
// CHECK-NEXT: arith.addi %[[R]], %[[S]] : tensor<64xi32>
tt.func public @sum(%n: i32 {tt.divisibility = 16 : i32}) -> tensor<64xi32> {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %n : i32 -> tensor<64xi32>
  %t = arith.addi %r, %s : tensor<64xi32>
  tt.return %t : tensor<64xi32>
}
