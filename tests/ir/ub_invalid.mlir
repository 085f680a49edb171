// RUN: weft opt %s --split-input-file --verify-diagnostics

module {
  tt.func @f() {
    %r = ub.poison
    // expected-error@below {{expected ':'}}
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{custom op 'ub.poisson' is unknown (did you mean ub.poison?)}}
    %r = ub.poisson : i32
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'ub.poison' op attribute 'value' 3 : i32 should be of base attribute ub.poison}}
    %r = "ub.poison"() <{value = 3 : i32}> : () -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%a: i32) {
    // expected-error@below {{'ub.poison' op requires zero operands}}
    %r = "ub.poison"(%a) <{value = #ub.poison}> : (i32) -> i32
    tt.return
  }
}
