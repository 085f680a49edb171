// RUN: weft opt %s --split-input-file --verify-roundtrip

module {
  tt.func public @cf(%arg0: i32, %arg1: f32, %arg2: i1) attributes {noinline = false} {
    cf.assert %arg2, "message"
    cf.cond_br %arg2, ^bb1(%arg0 : i32), ^bb2(%arg0, %arg1 : i32, f32)
  ^bb1(%0: i32):  // pred: ^bb0
    cf.br ^bb3
  ^bb2(%1: i32, %2: f32):  // 2 preds: ^bb0, ^bb2
    cf.cond_br %arg2, ^bb2(%1, %2 : i32, f32), ^bb3 {tag}
  ^bb3:  // 2 preds: ^bb1, ^bb2
    cf.br ^bb4(%arg1, %arg2 : f32, i1)
  ^bb4(%3: f32, %4: i1):  // pred: ^bb3
    tt.return
  ^bb5:  // no predecessors
    tt.return
  }
}
