// RUN: weft opt %s --split-input-file --verify-diagnostics

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{use of value '%x' expects different type than prior uses: 'i1' vs 'i32'}}
    cf.cond_br %x, ^bb1, ^bb1
    ^bb1:
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.addi' op block with no terminator, has %0 = arith.addi %arg0, %arg0 : i32}}
    %a = arith.addi %x, %x : i32
    ^bb1:
    %b = arith.addi %x, %x : i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    cf.cond_br %c, ^bb1, ^bb2
    ^bb1:  // pred: ^bb0
    %a = arith.addi %x, %x : i32
    cf.br ^bb2
    ^bb2:  // 2 preds: ^bb0, ^bb1
    // expected-error@below {{'arith.addi' op operand #0 does not dominate this use: the result of arith.addi}}
    %b = arith.addi %a, %a : i32
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i8) -> (), sym_name = "f"}> ({
  ^bb0(%0: i8):
    // expected-error@below {{'cf.assert' op operand #0 must be 1-bit signless integer, but got 'i8'}}
    "cf.assert"(%0) <{"msg" = "message"}> : (i8) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
