module {
  tt.func @near(%x: i32) {
    // expected-error@below {{did you mean arith.andi}}
    %0 = arith.adi %x, %x : i32
    tt.return
  }
}

// -----

module {
  tt.func @order(%x: i32) {
    %0 = arith.addi %1, %x : i32  // expected-error {{does not dominate this use}}
    %1 = arith.addi %x, %x : i32
    tt.return
  }
}
