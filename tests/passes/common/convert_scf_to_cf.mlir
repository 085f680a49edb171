// RUN: weft opt %s -p convert-scf-to-cf | filecheck %s

module {
  // CHECK-LABEL: @loop
  // CHECK-NEXT: cf.br ^bb1(%arg0, %arg3 : i32, f32)
  // CHECK-NEXT: ^bb1(%[[I:.*]]: i32, %[[A:.*]]: f32):
  // CHECK-NEXT: %[[C:.*]] = arith.cmpi slt, %[[I]], %arg1 : i32
  // CHECK-NEXT: cf.cond_br %[[C]], ^bb2, ^bb3
  // CHECK-NEXT: ^bb2:
  // CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %arg3 : f32
  // CHECK-NEXT: %[[N:.*]] = arith.addi %[[I]], %arg2 : i32
  // CHECK-NEXT: cf.br ^bb1(%[[N]], %[[B]] : i32, f32)
  // CHECK-NEXT: ^bb3:
  // CHECK-NEXT: tt.return %[[A]] : f32
  tt.func @loop(%lb: i32, %ub: i32, %step: i32, %x: f32) -> f32 {
    %r = scf.for %i = %lb to %ub step %step iter_args(%a = %x) -> (f32) : i32 {
      %b = arith.addf %a, %x : f32
      scf.yield %b : f32
    } {tt.num_stages = 2 : i32}
    tt.return %r : f32
  }

  // CHECK-LABEL: @unsigned_loop
  // CHECK: arith.cmpi ult
  tt.func @unsigned_loop(%lb: i32, %ub: i32, %step: i32) {
    scf.for unsigned %i = %lb to %ub step %step : i32 {
    }
    tt.return
  }

  // A conditional inside of a loop: the body of the loop ends in the block after it.
  // CHECK-LABEL: @nested
  // CHECK: cf.cond_br %{{.*}}, ^bb2, ^bb7
  // CHECK: ^bb2:
  // CHECK-NEXT: cf.cond_br %arg3, ^bb3, ^bb4
  // CHECK: ^bb3:
  // CHECK-NEXT: cf.br ^bb5(%{{.*}} : i32)
  // CHECK: ^bb4:
  // CHECK-NEXT: cf.br ^bb5(%{{.*}} : i32)
  // CHECK: ^bb5(%[[V:.*]]: i32):
  // CHECK-NEXT: cf.br ^bb6
  // CHECK: ^bb6:
  // CHECK-NEXT: %[[N:.*]] = arith.addi
  // CHECK-NEXT: cf.br ^bb1(%[[N]], %[[V]] : i32, i32)
  // CHECK: ^bb7:
  tt.func @nested(%lb: i32, %ub: i32, %step: i32, %c: i1) -> i32 {
    %r = scf.for %i = %lb to %ub step %step iter_args(%a = %lb) -> (i32) : i32 {
      %v = scf.if %c -> (i32) {
        scf.yield %i : i32
      } else {
        scf.yield %a : i32
      }
      scf.yield %v : i32
    }
    tt.return %r : i32
  }

  // Without an else region the condition branches past the conditional.
  // CHECK-LABEL: @no_else
  // CHECK: cf.cond_br %arg0, ^bb1, ^bb2
  // CHECK: ^bb1:
  // CHECK-NEXT: tt.print
  // CHECK-NEXT: cf.br ^bb2
  tt.func @no_else(%c: i1, %n: i32) {
    scf.if %c {
      tt.print " n" {hex = false, isSigned = array<i32: 1>} : %n : i32
    }
    tt.return
  }

  // CHECK-LABEL: @while
  // CHECK-NEXT: cf.br ^bb1(%arg0 : i32)
  // CHECK-NEXT: ^bb1(%[[I:.*]]: i32):
  // CHECK: cf.cond_br %{{.*}}, ^bb2(%[[I]] : i32), ^bb3
  // CHECK-NEXT: ^bb2(%[[J:.*]]: i32):
  // CHECK-NEXT: %[[N:.*]] = arith.addi %[[J]], %[[J]]
  // CHECK-NEXT: cf.br ^bb1(%[[N]] : i32)
  // CHECK-NEXT: ^bb3:
  // CHECK-NEXT: tt.return %[[I]]
  tt.func @while(%n: i32, %m: i32) -> i32 {
    %r = scf.while (%i = %n) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %m : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%j: i32):
      %k = arith.addi %j, %j : i32
      scf.yield %k : i32
    }
    tt.return %r : i32
  }

  // A body that only forwards its arguments has no block.
  // CHECK-LABEL: @do_while
  // CHECK: ^bb1(%{{.*}}: i32):
  // CHECK: %[[K:.*]] = arith.addi
  // CHECK: cf.cond_br %{{.*}}, ^bb1(%[[K]] : i32), ^bb2
  tt.func @do_while(%n: i32, %m: i32) -> i32 {
    %r = scf.while (%i = %n) : (i32) -> i32 {
      %k = arith.addi %i, %i : i32
      %c = arith.cmpi slt, %k, %m : i32
      scf.condition(%c) %k : i32
    } do {
    ^bb0(%j: i32):
      scf.yield %j : i32
    }
    tt.return %r : i32
  }

  // CHECK-LABEL: @region
  // CHECK-NEXT: cf.br ^bb1
  // CHECK-NEXT: ^bb1:
  // CHECK-NEXT: cf.br ^bb2(%arg0 : i32)
  // CHECK-NEXT: ^bb2(%[[R:.*]]: i32):
  // CHECK-NEXT: tt.return %[[R]]
  tt.func @region(%n: i32) -> i32 {
    %r = scf.execute_region -> i32 {
      scf.yield %n : i32
    }
    tt.return %r : i32
  }
}
