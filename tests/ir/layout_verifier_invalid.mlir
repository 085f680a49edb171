// RUN: weft opt %s --split-input-file --verify-diagnostics

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#few = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.convert_layout' op Result has an invalid layout: #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>. Layout has 2 warps per CTA, but the context requires 4 warps per CTA.}}
    %r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #few>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.convert_layout' op Result has an invalid layout: #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>. Layout has 64 threads per warp, but the module specifies 32 threads per warp.}}
    %r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #wide>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.convert_layout' op Result has an invalid layout: #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 8, 1], threadsPerWarp = [4, 8, 1], warpsPerCTA = [2, 1, 1], order = [1, 0, 2]}>}>. Layout has 2 warps per CTA, but the context requires 4 warps per CTA.}}
    %r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 8, 1], threadsPerWarp = [4, 8, 1], warpsPerCTA = [2, 1, 1], order = [1, 0, 2]}>}>>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.convert_layout' op Result has an invalid layout: #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 8]}>. Layout has 8 warps per CTA, but the context requires 4 warps per CTA.}}
    %r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 8]}>>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.convert_layout' op Result has an invalid layout: #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>. Layout has 64 threads per warp, but the module specifies 32 threads per warp.}}
    %r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.convert_layout' op Result has an invalid layout: #ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = [[1, 0]]}}>. Layout has 2 warps per CTA, but the context requires 4 warps per CTA.}}
    %r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = [[1, 0]]}, instrShape = [16, 16, 16]}>>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.convert_layout' op Result has an invalid layout: #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[1, 0]], block = []}>. Layout has 2 warps per CTA, but the context requires 4 warps per CTA.}}
    %r = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[1, 0]], block = []}>>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64xf16, #blocked>) {
    // expected-error@below {{'tt.print' op Operand 0 has an invalid layout: #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>. Layout has rank 2, but the tensor it's attached to has rank 1.}}
    tt.print "x" {hex = false, isSigned = array<i32: 0>} : %x : tensor<64xf16, #blocked>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x64xf16, #shared>) {
    // expected-error@below {{'tt.print' op Operand 0 has an invalid layout: #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>. Non-distributed layout is not allowed in tensor type.}}
    tt.print "x" {hex = false, isSigned = array<i32: 0>} : %x : tensor<64x64xf16, #shared>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  // expected-error@below {{#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}> is not a valid encoding}}
  tt.func @f(%x: !ttg.memdesc<64x64xf16, #blocked, #smem>) {
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  // expected-error@below {{rank must be equal to or one less than the shape size. Got 2 and 4}}
  tt.func @f(%x: !ttg.memdesc<2x2x64x64xf16, #shared, #smem>) {
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  // expected-error@below {{rank must be equal to or one less than the shape size. Got 2 and 1}}
  tt.func @f(%x: !ttg.memdesc<64xf16, #shared, #smem>) {
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(2) {
      %c = arith.constant 0.0 : f16
      // expected-error@below {{'tt.splat' op Result has an invalid layout: #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>. Layout has 4 warps per CTA, but the context requires 2 warps per CTA.}}
      %t = tt.splat %c : f16 -> tensor<64x64xf16, #blocked>
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: f16) attributes {"ttg.num-warps" = 2 : i32} {
    // expected-error@below {{'tt.splat' op Result has an invalid layout: #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>. Layout has 8 warps per CTA, but the context requires 2 warps per CTA.}}
    %t = tt.splat %x : f16 -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module {
  tt.func @f(%x: f16) {
    // expected-error@below {{'tt.splat' op Result has an invalid layout: Could not determine the number of warps per CTA. Operation is not in a context with `ttg.num-warps`.}}
    %t = tt.splat %x : f16 -> tensor<128xf16, #blocked>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.local_dealloc' op Operand 0 has an invalid layout: #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>. Layout has 2 CTAs per CGA, but the context requires 1 CTAs per CGA.}}
    ttg.local_dealloc %b : !ttg.memdesc<64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: f16) {
    // expected-error@below {{'tt.splat' op Maximum allowed number of elements is 1048576, but 'tensor<2097152xf16>' has more than that}}
    %t = tt.splat %x : f16 -> tensor<2097152xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: f16) {
    // expected-error@below {{'tt.splat' op Number of elements must be power-of-two, but 'tensor<48xf16>' doesn't follow the rule (48) elements}}
    %t = tt.splat %x : f16 -> tensor<48xf16>
    tt.return
  }
}

// -----

// The indices of a buffer's elements are signed integers of 32 bits.
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    %a = ttg.local_alloc : () -> !ttg.memdesc<2x32768x32768xf16, #shared, #smem, mutable>
    // expected-error@below {{'ttg.local_alloc' op Result has an invalid layout: #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>.}}
    %b = ttg.local_alloc : () -> !ttg.memdesc<65536x32768xf16, #shared, #smem, mutable>
    tt.return
  }
}
