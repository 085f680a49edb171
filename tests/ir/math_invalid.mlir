// RUN: weft opt %s --split-input-file --verify-diagnostics

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'math.exp' op operand #0 must be floating-point-like, but got 'i32'}}
    %r = math.exp %x : i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%f: f32) {
    // expected-error@below {{'math.exp' op requires the same type for all operands and results}}
    %r = "math.exp"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f16
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%f: f32, %h: f16) {
    // expected-error@below {{'math.fma' op requires the same type for all operands and results}}
    %r = "math.fma"(%f, %f, %h) <{fastmath = #arith.fastmath<none>}> : (f32, f32, f16) -> f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%f: f32) {
    // expected-error@below {{custom op 'math.exp3' is unknown (did you mean math.exp or math.exp2 or math.expm1?)}}
    %r = math.exp3 %f : f32
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i1) -> (), sym_name = "f"}> ({
  ^bb0(%0: i1):
    // expected-error@below {{'math.absi' op requires the same type for all operands and results}}
    %1 = "math.absi"(%0) : (i1) -> (tensor<8xi32>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'math.fma' op operand #0 must be floating-point-like, but got 'i1'}}
    %0 = math.fma %arg0, %arg0, %arg0 : i1
    tt.return
  }
}
