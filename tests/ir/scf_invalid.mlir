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

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i1, i32) -> (), sym_name = "f"}> ({
  ^bb0(%1: i1, %2: i32):
    %0 = "scf.execute_region"() ({
      // expected-error@below {{'cf.cond_br' op 'operandSegmentSizes' attribute cannot have negative elements}}
      "cf.cond_br"(%1) [^b1, ^b2] <{"operandSegmentSizes" = array<i32: -1, 0, 0>}> : (i1) -> ()
    ^b1:
      "scf.yield"(%2) : (i32) -> ()
    ^b2:
      "scf.yield"(%2) : (i32) -> ()
    }) : () -> (i32)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: i1, %arg1: i32) {
    %0 = scf.execute_region -> i32 {
      // expected-error@below {{'cf.cond_br' op branch has 0 operands for successor #0, but target block has 1}}
      cf.cond_br %arg0, ^bb1, ^bb2
    ^bb1(%1: i32):  // pred: ^bb0
      scf.yield %arg1 : i32
    ^bb2:  // pred: ^bb0
      scf.yield %arg1 : i32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1, %arg1: i32) {
    %0 = scf.execute_region -> i32 {
      cf.cond_br %arg0, ^bb1, ^bb2
    ^bb1:  // pred: ^bb0
      // expected-error@below {{'tt.return' op expects parent op 'tt.func'}}
      tt.return %arg1 : i32
    ^bb2:  // pred: ^bb0
      scf.yield %arg1 : i32
    }
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i8, i32) -> (), sym_name = "f"}> ({
  ^bb0(%1: i8, %2: i32):
    %0 = "scf.execute_region"() ({
      // expected-error@below {{'cf.cond_br' op operand #0 must be 1-bit signless integer, but got 'i8'}}
      "cf.cond_br"(%1) [^b1, ^b2] <{"operandSegmentSizes" = array<i32: 1, 0, 0>}> : (i8) -> ()
    ^b1:
      "scf.yield"(%2) : (i32) -> ()
    ^b2:
      "scf.yield"(%2) : (i32) -> ()
    }) : () -> (i32)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: i1, %arg1: i32) {
    // expected-error@below {{'scf.execute_region' op region cannot have any arguments}}
    %0 = scf.execute_region -> i32 {
    ^bb0(%arg2: i32):
      cf.cond_br %arg0, ^bb1, ^bb2
    ^bb1:  // pred: ^bb0
      scf.yield %arg1 : i32
    ^bb2:  // pred: ^bb0
      scf.yield %arg1 : i32
    }
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'scf.execute_region' op region needs to have at least one block}}
    %0 = scf.execute_region -> i32 {
    }
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.ptr<f32, 3>) {
    // expected-error@below {{'scf.for' op operand #0 must be signless integer or index, but got '!tt.ptr<f32, 3>'}}
    scf.for %arg1 = %arg0 to %arg0 step %arg0  : !tt.ptr<f32, 3> {
    } {tt.num_stages = 3 : i32}
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (index) -> (), sym_name = "f"}> ({
  ^bb0(%0: index):
    // expected-error@below {{'scf.if' op operand #0 must be 1-bit signless integer, but got 'index'}}
    "scf.if"(%0) ({
      "scf.yield"() : () -> ()
    }, {
      "scf.yield"() : () -> ()
    }) {"tag" = unit} : (index) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (memref<4xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%0: memref<4xf32>):
    "scf.while"() ({
      // expected-error@below {{'scf.condition' op operand #0 must be 1-bit signless integer, but got 'memref<4xf32>'}}
      "scf.condition"(%0) : (memref<4xf32>) -> ()
    }, {
      "scf.yield"() : () -> ()
    }) : () -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
  ^bb0(%0: f32):
    %1 = "scf.while"(%0) ({
    ^b0(%2: f32):
      // expected-error@below {{'arith.cmpf' op result #0 must be bool-like, but got 'i8'}}
      %3 = "arith.cmpf"(%2, %0) <{"fastmath" = #arith.fastmath<none>, "predicate" = 4 : i64}> : (f32, f32) -> (i8)
      "scf.condition"(%3, %2) : (i8, f32) -> ()
    }, {
    ^b0(%4: f32):
      %5 = "arith.addf"(%4, %0) <{"fastmath" = #arith.fastmath<none>}> : (f32, f32) -> (f32)
      "scf.yield"(%5) : (f32) -> ()
    }) : (f32) -> (f32)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
