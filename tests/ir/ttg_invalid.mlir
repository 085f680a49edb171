// RUN: weft opt %s --split-input-file --verify-diagnostics

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'ttg.local_alloc' op uninitialized alloc must have a mutable memdesc type}}
    %x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.local_alloc' op source element type 'tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>' must match destination element type 'f32'}}
    %x = ttg.local_alloc %t : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf32, #shared, #smem>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'ttg.local_alloc' op result shape and its alloc shape must match}}
    %x = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable, 64x128>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.local_dealloc' op operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>'}}
    ttg.local_dealloc %t : tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.local_load' op source shape [64, 64] must match [destination shape 64, 32]}}
    %x = ttg.local_load %b : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>, %f: !ttg.memdesc<64x64xf16, #shared, #smem>) {
    // expected-error@below {{'ttg.local_store' op Cannot store into immutable memory}}
    ttg.local_store %t, %f : tensor<64x64xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    %c = arith.constant dense<0> : tensor<64x64xi32, #blocked>
    // expected-error@below {{'ttg.local_gather' op axis 2 is out of bounds for source rank 2}}
    %x = ttg.local_gather %b[%c] {axis = 2 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64xi32, #blocked> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>, %b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.local_gather' op operand #1 must be ranked tensor of integer values, but got 'tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>'}}
    %x = ttg.local_gather %b[%t] {axis = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    %c = arith.constant dense<0> : tensor<64x32xi32, #blocked>
    // expected-error@below {{'ttg.local_gather' op result shape must match indices shape}}
    %x = ttg.local_gather %b[%c] {axis = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x32xi32, #blocked> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>, %b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    %c = arith.constant dense<0> : tensor<64x32xi32, #blocked>
    // expected-error@below {{'ttg.local_scatter' op values shape must match indices shape}}
    ttg.local_scatter %b[%c], %t {axis = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64x32xi32, #blocked>, tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'ttg.global_scratch_alloc' op alignment must be a power of two, but got 3}}
    %x = ttg.global_scratch_alloc {alignment = 3 : i32, nbytes = 8 : i32} : !tt.ptr<i8>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%ring: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %i: i32) {
    // expected-error@below {{'ttg.memdesc_index' op result shape must equal to srcShape[1:]}}
    %x = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%ring: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>, %i: i32) {
    // expected-error@below {{'ttg.memdesc_index' op result element type must match desc element type}}
    %x = ttg.memdesc_index %ring[%i] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_subslice' op The split offset may not touch the tile}}
    %x = ttg.memdesc_subslice %b[0, 48] : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_subslice' op offsets must have the same rank as input}}
    %x = ttg.memdesc_subslice %b[0] : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{memorySpace must be TensorMemorySpace}}
    %x = ttg.memdesc_subslice %b[0, 0] : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #tmem, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_trans' op order must be a permutation of [0, ..., rank - 1]}}
    %x = ttg.memdesc_trans %b {order = array<i32: 0, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%ring: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_trans' op failed to infer returned types: rank of encoding does not match order: 2 vs 3}}
    %x = ttg.memdesc_trans %ring {order = array<i32: 2, 0, 1>} : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%ring: !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_reshape' op number of src and dst elements of reshape must be the same}}
    %x = ttg.memdesc_reshape %ring : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{the allocation shape must be at least 128x128. Got 64, 64}}
    %x = ttg.memdesc_reinterpret %b : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #tmem, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %g: !tt.ptr<f32>) {
    %c = tt.splat %g : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    // expected-error@below {{'ttg.async_copy_global_to_local' op expected pointers to elements of type f16, but got 'tensor<64x64x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>'}}
    %x = ttg.async_copy_global_to_local %c, %b : tensor<64x64x!tt.ptr<f32>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %h: !tt.ptr<f16>) {
    %c = tt.splat %h : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    // expected-error@below {{'ttg.async_copy_global_to_local' op source shape [64, 32] must match destination shape [64, 64]}}
    %x = ttg.async_copy_global_to_local %c, %b : tensor<64x32x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.convert_layout' op requires the same element type for all operands and results}}
    %x = ttg.convert_layout %t : tensor<64x64xf16, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.fp4_to_fp' op operand #0 must be ranked tensor of 8-bit signless integer values, but got 'tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>'}}
    %x = ttg.fp4_to_fp %t {axis = 1 : i32} : tensor<64x64xf16, #blocked> -> tensor<64x128xbf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%e: tensor<64x64xi8, #blocked>) {
    // expected-error@below {{'ttg.fp4_to_fp' op axis 2 out of range for rank 2}}
    %x = ttg.fp4_to_fp %e {axis = 2 : i32} : tensor<64x64xi8, #blocked> -> tensor<64x128xbf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%e: tensor<64x64xi8, #blocked>) {
    // expected-error@below {{'ttg.fp4_to_fp' op axis 0 dimension must be 2x source dimension (src=64, dst=64)}}
    %x = ttg.fp4_to_fp %e {axis = 0 : i32} : tensor<64x64xi8, #blocked> -> tensor<64x128xbf16, #blocked>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32, %p: i1) {
    // expected-error@below {{'ttg.mask' op types of the results must match those of 'ttg.mask.return'}}
    %x = "ttg.mask"(%p) ({ ttg.mask.return %i : i32 }) : (i1) -> i1
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32, %p: i1) {
    // expected-error@below {{'ttg.mask' op expects regions to end with 'ttg.mask.return'}}
    "ttg.mask"(%p) ({ %x = arith.addi %i, %i : i32 }) : (i1) -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    ttg.barrier remote
    // expected-error@below {{unknown addrSpace 'remote'; accepted: none, all, local, global_read, global_write, tensor_read, tensor_write}}
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>, %i: i32) {
    // expected-error@below {{'ttg.local_store' op operand #1 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i32'}}
    ttg.local_store %t, %i : tensor<64x64xf16, #blocked> -> i32
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %n: tensor<64x32xf16, #blocked>) {
    // expected-error@below {{'ttg.local_store' op source shape [64, 32] must match [destination shape 64, 64]}}
    ttg.local_store %n, %b : tensor<64x32xf16, #blocked> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.local_alloc' op source shape [64, 64] must match [destination shape 64, 32]}}
    %x = ttg.local_alloc %t : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x32xf16, #shared, #smem>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.local_load' op source element type '!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable>' must match destination element type 'f32'}}
    %x = ttg.local_load %b : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %e1: tensor<64xi32, #line>) {
    // expected-error@below {{'ttg.local_gather' op result shape must match indices shape}}
    %x = ttg.local_gather %b[%e1] {axis = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, tensor<64xi32, #line> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_subslice' op subslice is out of bounds of dimension 1}}
    %x = ttg.memdesc_subslice %b[0, 64] : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_subslice' op The split offset may not touch the tile}}
    %x = ttg.memdesc_subslice %b[0, 16] : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_trans' op requires the same element type for all operands and results}}
    %x = ttg.memdesc_trans %b {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{memorySpace must be SharedMemorySpace for shared encoding. Got #ttng.tensor_memory}}
    %x = ttg.memdesc_reshape %b : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'ttg.convert_layout' op requires the same shape for all operands and results}}
    %x = ttg.convert_layout %t : tensor<64x64xf16, #blocked> -> tensor<64x32xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%e: tensor<64x64xi8, #blocked>) {
    // expected-error@below {{'ttg.fp4_to_fp' op dimension 0 mismatch (src=64, dst=32, axis=1)}}
    %x = ttg.fp4_to_fp %e {axis = 1 : i32} : tensor<64x64xi8, #blocked> -> tensor<32x128xbf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32) {
    // expected-error@below {{'ttg.local_load' op operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i32'}}
    %x = ttg.local_load %i : i32 -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'ttg.warp_specialize' op expected to find only a `ttg.warp_specialize.partitions` op inside its second region}}
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> ({
      ttg.warp_yield
    }, {
      ttg.warp_return
    }) : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32) {
    // expected-error@below {{'ttg.warp_specialize.partitions' op partition region #0 argument #0 has type 'i64' but corresponding capture has type 'i32'}}
    %r = ttg.warp_specialize(%i)
    default {
      ttg.warp_yield %i : i32
    }
    partition0(%a: i64) num_warps(2) {
      ttg.warp_return
    } : (i32) -> i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32) {
    // expected-error@below {{'ttg.warp_specialize' op partition #0 number of warps (3) must be a power of 2}}
    %r = ttg.warp_specialize(%i)
    default {
      ttg.warp_yield %i : i32
    }
    partition0(%a: i32) num_warps(3) {
      ttg.warp_return
    } : (i32) -> i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32) {
    // expected-error@below {{'ttg.warp_specialize' op partition #0 number of warps (0) must be a power of 2}}
    %r = ttg.warp_specialize(%i)
    default {
      ttg.warp_yield %i : i32
    }
    partition0(%a: i32) num_warps(0) {
      ttg.warp_return
    } : (i32) -> i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32, %p: i1) {
    // expected-error@below {{'ttg.warp_specialize' op along control flow edge from Operation ttg.warp_yield to parent: successor operand type #0 'i1' should match successor input type #0 'i32'}}
    %r = ttg.warp_specialize(%i)
    default {
      ttg.warp_yield %p : i1
    }
    partition0(%a: i32) num_warps(2) {
      ttg.warp_return
    } : (i32) -> i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32) {
    // expected-error@below {{'ttg.warp_specialize' op has 1 partitions but `requestedRegisters` has 2 elements}}
    %r = ttg.warp_specialize(%i) attributes {requestedRegisters = array<i32: 24, 24>}
    default {
      ttg.warp_yield %i : i32
    }
    partition0(%a: i32) num_warps(2) {
      ttg.warp_return
    } : (i32) -> i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%i: i32) {
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 4>}> ({
      ttg.warp_yield
    }, {
      // expected-error@below {{'ttg.warp_specialize.partitions' op partition region #0 has 0 arguments but expected 1}}
      "ttg.warp_specialize.partitions"(%i) ({
        ttg.warp_return
      }) : (i32) -> ()
    }) : () -> ()
    tt.return
  }
}
