// RUN: %lower %s -split-input-file -verify-diagnostics

// A module has one kernel.
// expected-error@unknown {{a module must have one public function}}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @one() {
    tt.return
  }
  tt.func public @two() {
    tt.return
  }
}

// -----

// The module is TTIR.
// expected-error@unknown {{the module has no ttg.target}}
module {
  tt.func public @k() {
    tt.return
  }
}

// -----

// A called function is a declaration.
// expected-error@unknown {{a call of a function without a body}}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @f()
  tt.func public @k() {
    tt.call @f() : () -> ()
    tt.return
  }
}

// -----

// Block pointers are rewritten before.
// expected-error@unknown {{is a block pointer, which cannot be lowered to LLVM IR}}
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%p: !tt.ptr<tensor<16x32xf32, #b>>) {
    %x = tt.load %p : !tt.ptr<tensor<16x32xf32, #b>>
    tt.return
  }
}
