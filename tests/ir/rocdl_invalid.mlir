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
