// RUN: weft opt %s -p test-tritonamdgpu-range-analysis | filecheck %s
// RUN: weft opt %s -p test-tritonamdgpu-range-analysis --verify-diagnostics -o /dev/null

// CHECK-LABEL: @ranges
tt.func public @ranges(
    // expected-remark @below {{arg 0: unsigned : [0, 4294967295] signed : [-2147483648, 2147483647]}}
    %n: i32,
    // expected-remark @below {{arg 1: unsigned : [0, 100] signed : [0, 100]}}
    %m: i32) {
  // expected-remark @below {{unsigned : [100, 100] signed : [100, 100]}}
  // expected-remark @below {{non-neg}}
  %c100 = arith.constant 100 : i32
  // expected-remark @below {{unsigned : [1, 1] signed : [-1, -1]}}
  // expected-remark @below {{result is true}}
  %0 = arith.cmpi ule, %m, %c100 : i32
  llvm.intr.assume %0 : i1
  // expected-remark @below {{unsigned : [0, 63] signed : [0, 63]}}
  // expected-remark @below {{non-neg}}
  %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // A comparison that varies.
  // expected-remark @below {{unsigned : [0, 1] signed : [-1, 0]}}
  %2 = arith.cmpi slt, %n, %c100 : i32
  tt.return
}

// CHECK-LABEL: @loops
// expected-remark @below {{unsigned : [0, 4294967295] signed : [-2147483648, 2147483647]}}
tt.func public @loops(%n: i32) {
  // expected-remark @below {{unsigned : [0, 0] signed : [0, 0]}}
  // expected-remark @below {{non-neg}}
  %c0 = arith.constant 0 : i32
  // expected-remark @below {{unsigned : [1, 1] signed : [1, 1]}}
  // expected-remark @below {{non-neg}}
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{unsigned : [8, 8] signed : [8, 8]}}
  // expected-remark @below {{non-neg}}
  %c8 = arith.constant 8 : i32
  // expected-remark @below {{unsigned : [0, 8] signed : [0, 8]}}
  // expected-remark @below {{non-neg}}
  // expected-remark @below {{inferred total trip count: 8}}
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    // expected-remark @below {{inferred total trip count: 64}}
    scf.for %j = %c0 to %c8 step %c1 : i32 {
    }
    // expected-remark @below {{unsigned : [1, 8] signed : [1, 8]}}
    // expected-remark @below {{non-neg}}
    %b = arith.addi %a, %c1 : i32
    scf.yield %b : i32
  }
  tt.return
}
