// RUN: weft opt %s -split-input-file -tritonamdgpu-canonicalize-pointers -verify-diagnostics

module attributes {"ttg.num-warps" = 4 : i32} {
  // expected-remark @below {{expected at least 1 use of unrealized_cast}}
  tt.func public @unused_argument(%p: !tt.ptr<i8> {tt.pointer_range = 32 : i32}) {
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @poison(%p: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %c: i1, %n: i32) -> f32 {
    // expected-remark @below {{skipping canonicalize-pointers due to ub.poison}}
    %poison = ub.poison : !tt.ptr<f32>
    %q = tt.addptr %p, %n : !tt.ptr<f32>, i32
    %r = arith.select %c, %q, %poison : !tt.ptr<f32>
    %x = tt.load %r : !tt.ptr<f32>
    tt.return %x : f32
  }
}
