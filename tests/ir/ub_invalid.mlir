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
