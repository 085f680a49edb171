// RUN: weft opt %s --split-input-file --verify-diagnostics

module {
  tt.func @f(%x: i32, %l: i64) {
    // expected-error@below {{'scf.for' op failed to verify that all of {lowerBound, upperBound, step} have same type}}
    "scf.for"(%x, %x, %l) ({
    ^bb0(%i: i32):
      scf.yield
    }) : (i32, i32, i64) -> ()
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'scf.for' op expected induction variable to be same type as bounds and step}}
    "scf.for"(%x, %x, %x) ({
    ^bb0(%i: i64):
      scf.yield
    }) : (i32, i32, i32) -> ()
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'scf.for' op expected induction variable to be same type as bounds and step}}
    "scf.for"(%x, %x, %x) ({
      scf.yield
    }) : (i32, i32, i32) -> ()
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %f: f32) {
    // expected-error@below {{'scf.for' op 0-th init and 0-th region iter_arg have different type: 'f32' != 'i32'}}
    %r = "scf.for"(%x, %x, %x, %f) ({
    ^bb0(%i: i32, %a: i32):
      scf.yield %f : f32
    }) : (i32, i32, i32, f32) -> f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %f: f32) {
    // expected-error@below {{'scf.for' op 0-th region iter_arg and 0-th loop result have different type: 'f32' != 'i32'}}
    %r = "scf.for"(%x, %x, %x, %f) ({
    ^bb0(%i: i32, %a: f32):
      scf.yield %f : f32
    }) : (i32, i32, i32, f32) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %f: f32) {
    // expected-error@below {{'scf.for' op mismatch in number of loop-carried values and defined values}}
    "scf.for"(%x, %x, %x, %f) ({
    ^bb0(%i: i32, %a: f32):
      scf.yield %f : f32
    }) : (i32, i32, i32, f32) -> ()
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %f: f32) {
    // expected-error@below {{'scf.for' op 0-th region iter_arg and 0-th yielded value have different type: 'f32' != 'i32'}}
    %r = scf.for %i = %x to %x step %x iter_args(%a = %f) -> (f32)  : i32 {
      scf.yield %x : i32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %f: f32) {
    // expected-error@below {{'scf.for' op along control flow edge from Operation scf.yield to Region #0: region branch point has 0 operands, but region successor needs 1 inputs}}
    %r = scf.for %i = %x to %x step %x iter_args(%a = %f) -> (f32)  : i32 {
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %f: f32) {
    // expected-error@below {{mismatch in number of loop-carried values and defined values}}
    %r = scf.for %i = %x to %x step %x iter_args(%a = %f, %b = %x) -> (f32)  : i32 {
      scf.yield %f : f32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    // expected-error@below {{'scf.for' op expects regions to end with 'scf.yield'}}
    "scf.for"(%x, %x, %x) ({
    ^bb0(%i: i32):
      scf.condition(%c)
    }) : (i32, i32, i32) -> ()
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'scf.if' op operand #0 must be 1-bit signless integer, but got 'i32'}}
    "scf.if"(%x) ({
      scf.yield
    }, {
    }) : (i32) -> ()
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    // expected-error@below {{'scf.if' op must have an else block if defining values}}
    %r = scf.if %c -> (i32) {
      scf.yield %x : i32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %f: f32, %c: i1) {
    // expected-error@below {{'scf.if' op along control flow edge from Operation scf.yield to parent: successor operand type #0 'i32' should match successor input type #0 'f32'}}
    %r = scf.if %c -> (f32) {
      scf.yield %x : i32
    } else {
      scf.yield %f : f32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    // expected-error@below {{'scf.if' op along control flow edge from Operation scf.yield to parent: region branch point has 0 operands, but region successor needs 1 inputs}}
    %r = scf.if %c -> (i32) {
      scf.yield %x : i32
    } else {
      scf.yield
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%c: i1) {
    // expected-error@below {{'scf.if' op expects regions to end with 'scf.yield'}}
    "scf.if"(%c) ({
      scf.condition(%c)
    }, {
    }) : (i1) -> ()
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'scf.while' op expects the 'before' region to terminate with 'scf.condition'}}
    %r = scf.while (%a = %x) : (i32) -> i32 {
      scf.yield %a : i32
    } do {
    ^bb0(%b: i32):
      scf.yield %b : i32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    // expected-error@below {{'scf.while' op expects the 'after' region to terminate with 'scf.yield'}}
    %r = "scf.while"(%x) ({
    ^bb0(%a: i32):
      scf.condition(%c) %a : i32
    }, {
    ^bb0(%b: i32):
      scf.condition(%c) %b : i32
    }) : (i32) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    // expected-error@below {{'scf.while' op along control flow edge from Operation scf.condition to parent: successor operand type #0 'i32' should match successor input type #0 'i64'}}
    %r = scf.while (%a = %x) : (i32) -> i64 {
      scf.condition(%c) %a : i32
    } do {
    ^bb0(%b: i32):
      scf.yield %b : i32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    // expected-error@below {{'scf.while' op along control flow edge from Operation scf.condition to Region #1: successor operand type #0 'i32' should match successor input type #0 'i64'}}
    %r = scf.while (%a = %x) : (i32) -> i32 {
      scf.condition(%c) %a : i32
    } do {
    ^bb0(%b: i64):
      scf.yield %x : i32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %f: f32, %c: i1) {
    // expected-error@below {{'scf.while' op along control flow edge from Operation scf.yield to Region #0: successor operand type #0 'f32' should match successor input type #0 'i32'}}
    %r = scf.while (%a = %x) : (i32) -> i32 {
      scf.condition(%c) %a : i32
    } do {
    ^bb0(%b: i32):
      scf.yield %f : f32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    // expected-error@below {{'scf.while' op along control flow edge from Operation scf.condition to Region #1: region branch point has 0 operands, but region successor needs 1 inputs}}
    %r = scf.while (%a = %x) : (i32) -> i32 {
      scf.condition(%c)
    } do {
    ^bb0(%b: i32):
      scf.yield %b : i32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    // expected-error@below {{'scf.while' op along control flow edge from parent to Region #0: successor operand type #0 'i32' should match successor input type #0 'i64'}}
    "scf.while"(%x) ({
    ^bb0(%a: i64):
      scf.condition(%c)
    }, {
      scf.yield %x : i32
    }) : (i32) -> ()
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    // expected-error@below {{expected as many input types as operands (expected 2 got 1)}}
    %r = scf.while (%a = %x, %d = %x) : (i32) -> i32 {
      scf.condition(%c) %a : i32
    } do {
    ^bb0(%b: i32):
      scf.yield %b : i32
    }
    tt.return
  }
}
