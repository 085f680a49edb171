// RUN: weft opt %s -p test-print-alias | filecheck %s
// RUN: weft opt %s -p test-print-alias --verify-diagnostics -o /dev/null

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
!buffer = !ttg.memdesc<16x16xf16, #shared, #smem, mutable>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @loop
  tt.func public @loop(%n: i32, %c: i1) {
    // expected-remark @below {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    // expected-remark @below {{%1 -> %1}}
    %b = ttg.local_alloc : () -> !buffer
    // The initial value of the argument, then the result.
    // expected-remark @below {{%arg3 -> %0}}
    // expected-remark @below {{%2 -> %0,%1}}
    %r = scf.for %i = %n to %n step %n iter_args(%x = %a) -> (!buffer) : i32 {
      // expected-remark @below {{%3 -> %0,%1}}
      %y = scf.if %c -> (!buffer) {
        scf.yield %x : !buffer
      } else {
        scf.yield %b : !buffer
      }
      scf.yield %y : !buffer
    }
    tt.return
  }

  // CHECK-LABEL: @blocks
  tt.func public @blocks(%c: i1) {
    // expected-remark @below {{%0 -> %0}}
    %a = ttg.local_alloc : () -> !buffer
    cf.br ^bb1(%a : !buffer)
  ^bb1(%x: !buffer):
    // expected-remark @below {{%2 -> %2}}
    %b = ttg.local_alloc : () -> !buffer
    // expected-remark @below {{%1 -> %0,%2}}
    cf.cond_br %c, ^bb1(%b : !buffer), ^bb2
  ^bb2:
    tt.return
  }
}
