// RUN: weft opt %s --split-input-file --verify-roundtrip

module {
  tt.func public @for(%arg0: i32, %arg1: f32, %arg2: index) attributes {noinline = false} {
    %c0_i32 = arith.constant 0 : i32
    scf.for %arg3 = %c0_i32 to %arg0 step %arg0  : i32 {
      tt.print "j: " {hex = false, isSigned = array<i32: 1>} : %arg3 : i32
    }
    scf.for %arg3 = %arg2 to %arg2 step %arg2 {
    } {tt.num_stages = 3 : i32}
    scf.for unsigned %arg3 = %c0_i32 to %arg0 step %arg0  : i32 {
    }
    %0:2 = scf.for %arg3 = %c0_i32 to %arg0 step %arg0 iter_args(%arg4 = %arg1, %arg5 = %c0_i32) -> (f32, i32)  : i32 {
      %2 = arith.addf %arg4, %arg4 : f32
      scf.yield %2, %arg3 : f32, i32
    }
    %1 = scf.for unsigned %arg3 = %arg2 to %arg2 step %arg2 iter_args(%arg4 = %arg1) -> (f32) {
      scf.yield %arg4 : f32
    }
    tt.return
  }
}

// -----

module {
  tt.func public @while(%arg0: i32, %arg1: f32, %arg2: i1) attributes {noinline = false} {
    %0 = scf.while (%arg3 = %arg1) : (f32) -> f32 {
      %2 = arith.cmpf olt, %arg3, %arg1 : f32
      scf.condition(%2) %arg3 : f32
    } do {
    ^bb0(%arg3: f32):
      %2 = arith.addf %arg3, %arg1 : f32
      scf.yield %2 : f32
    }
    %1:2 = scf.while (%arg3 = %arg1, %arg4 = %arg0) : (f32, i32) -> (i32, f32) {
      scf.condition(%arg2) %arg4, %arg3 : i32, f32
    } do {
    ^bb0(%arg3: i32, %arg4: f32):
      scf.yield %arg4, %arg3 : f32, i32
    } attributes {tag}
    scf.while : () -> () {
      scf.condition(%arg2)
    } do {
      scf.yield
    }
    tt.return
  }
}

// -----

module {
  tt.func public @if(%arg0: i32, %arg1: f32, %arg2: i1) attributes {noinline = false} {
    scf.if %arg2 {
      tt.print "x: " {hex = false, isSigned = array<i32: 0>} : %arg1 : f32
    }
    scf.if %arg2 {
    } else {
    } {tag}
    %0:2 = scf.if %arg2 -> (f32, i32) {
      scf.yield %arg1, %arg0 : f32, i32
    } else {
      scf.yield %arg1, %arg0 : f32, i32
    }
    tt.return
  }
}

// -----

module {
  tt.func public @execute_region(%arg0: i32, %arg1: f32, %arg2: i1) attributes {noinline = false} {
    scf.execute_region {
      scf.yield
    }
    %0 = scf.execute_region -> i32 {
      cf.cond_br %arg2, ^bb1, ^bb2
    ^bb1:  // pred: ^bb0
      scf.yield %arg0 : i32
    ^bb2:  // pred: ^bb0
      scf.yield %arg0 : i32
    }
    %1:2 = scf.execute_region -> (i32, f32) no_inline {
      scf.yield %arg0, %arg1 : i32, f32
    } {tag}
    tt.return
  }
}
