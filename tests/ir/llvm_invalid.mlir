// RUN: weft opt %s --split-input-file --verify-diagnostics

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'llvm.intr.assume' op operand #0 must be 1-bit signless integer, but got 'i32'}}
    llvm.intr.assume %x : i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{unknown type `pointer` in dialect `llvm` (did you mean !llvm.ptr or !llvm.struct?)}}
    %r = tt.splat %x : i32 -> !llvm.pointer
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'llvm.mlir.undef' op result #0 must be LLVM dialect-compatible type, but got 'index'}}
    %0 = "llvm.mlir.undef"() : () -> index
    tt.return
  }
}
