// RUN: weft opt %s --split-input-file --verify-diagnostics

module {
  tt.func @f() {
    // expected-error@below {{Expected integer literal}}
    rocdl.s.setprio high
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'rocdl.s.setprio' op attribute 'priority' failed to satisfy constraint: 16-bit signless integer attribute}}
    "rocdl.s.setprio"() <{priority = 1 : i32}> : () -> ()
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{custom op 'rocdl.s.set.prio' is unknown (did you mean rocdl.s.setprio or rocdl.s.sleep or rocdl.s.nop?)}}
    rocdl.s.set.prio 1
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'rocdl.workitem.id.x' op result #0 must be LLVM dialect-compatible type, but got 'tensor<4xi32>'}}
    %0 = "rocdl.workitem.id.x"() : () -> tensor<4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%a: index) {
    // expected-error@below {{'rocdl.readfirstlane' op operand #0 must be LLVM dialect-compatible type, but got 'index'}}
    %0 = "rocdl.readfirstlane"(%a) : (index) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%a: i32) {
    // expected-error@below {{'rocdl.readfirstlane' op failed to verify that all of {res, src} have same type}}
    %0 = "rocdl.readfirstlane"(%a) : (i32) -> i64
    tt.return
  }
}
