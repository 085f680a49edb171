// RUN: weft opt %s -p test-print-alignment | filecheck %s
// RUN: weft opt %s -p test-print-alignment --verify-diagnostics -o /dev/null

// CHECK-LABEL: @values
tt.func public @values(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  // expected-remark @below {{%0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32> => contiguity = [64], divisibility = [1073741824], constancy = [1], constant_value = <none>}}
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [64], constant_value = <none>}}
  %s = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  // expected-remark @below {{%2 = tt.addptr %1, %0 : tensor<64x!tt.ptr<f16>>, tensor<64xi32> => contiguity = [64], divisibility = [16], constancy = [1], constant_value = <none>}}
  %q = tt.addptr %s, %r : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1], constant_value = 12}}
  %c = arith.constant 12 : i32
  // expected-remark @below {{constant_value = 0}}
  %false = arith.constant false
  scf.if %false {
    // Nothing is known of a value in code that cannot run.
    // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant_value = <none>}}
    %d = arith.addi %c, %c : i32
  }
  tt.return
}

// Casts that a later pass resolves pass on what is known, unless the rank changes.
// CHECK-LABEL: @casts
tt.func public @casts(%p: i32 {tt.divisibility = 4 : i32}) {
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1], constant_value = <none>}}
  %0 = builtin.unrealized_conversion_cast %p : i32 to !llvm.struct<(i32)>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [1, 1], constancy = [1, 1], constant_value = <none>}}
  %1 = builtin.unrealized_conversion_cast %0 : !llvm.struct<(i32)> to tensor<4x4xi32>
  tt.return
}
