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
    // expected-error@below {{rank of encoding does not match order: 2 vs 3}}
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
    %r = ttg.warp_specialize(%i)
    default {
      ttg.warp_yield %i : i32
    }
    // expected-error@below {{'ttg.warp_specialize.partitions' op partition region #0 argument #0 has type 'i64' but corresponding capture has type 'i32'}}
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
    %r = ttg.warp_specialize(%i)
    default {
      // expected-error@below {{'ttg.warp_yield' op operand #0 has type 'i1' but parent op expected 'i32'}}
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

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (f16) -> (), sym_name = "f"}> ({
  ^bb0(%0: f16):
    // expected-error@below {{'ttg.async_commit_group' op operand #0 must be variadic of async token type, but got 'f16'}}
    %1 = "ttg.async_commit_group"(%0) : (f16) -> (f16)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!ttg.async.token) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.async.token):
    // expected-error@below {{'ttg.async_commit_group' op result #0 must be async token type, but got 'i1'}}
    %1 = "ttg.async_commit_group"(%0) : (!ttg.async.token) -> (i1)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
  ^bb0(%1: i32):
    // expected-error@below {{'ttg.async_wait' op operand #0 must be variadic of async token type, but got 'i32'}}
    %0 = "ttg.async_wait"(%1) <{"num" = 0 : i32}> : (i32) -> (!ttg.async.token)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "f"}> ({
    // expected-error@below {{'ttg.async_wait' op result #0 must be async token type, but got 'i8'}}
    %0 = "ttg.async_wait"() <{"num" = 0 : i32}> : () -> (i8)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

#mma = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1]]}}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<*xf32>) {
    // expected-error@below {{'ttg.convert_layout' op operand #0 must be ranked tensor of floating-point or integer or ptr values, but got 'tensor<*xf32>'}}
    %0 = ttg.convert_layout %arg0 : tensor<*xf32> -> tensor<16x128x!tt.ptr<bf16>, #mma>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<128xf32, #blocked>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = ttg.convert_layout %arg0 : tensor<128xf32, #blocked> -> i1
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<64x32xi8, #blocked>) {
    // expected-error@below {{'ttg.fp4_to_fp' op Src and Dst encodings are not compatible: #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}> and #ttg.blocked<{sizePerThread =}}
    %0 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<64x32xi8, #blocked> -> tensor<64x64xbf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<32x32xi8, #blocked>) {
    // expected-error@below {{'ttg.fp4_to_fp' op axis 1 dimension must be 2x source dimension (src=32, dst=32)}}
    %0 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<32x32xi8, #blocked> -> tensor<32x32xbf16, #blocked1>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<32x32xi8, #blocked>) {
    // expected-error@below {{'ttg.fp4_to_fp' op dimension 0 mismatch (src=32, dst=64, axis=1)}}
    %0 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<32x32xi8, #blocked> -> tensor<64x64xbf16, #blocked1>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<64x32xi8, #blocked>) {
    // expected-error@below {{'ttg.fp4_to_fp' op failed to infer encoding}}
    %0 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<64x32xi8, #blocked> -> tensor<64x64xbf16, #blocked1>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i8) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i8'}}
    %0 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : i8 -> tensor<64x64xbf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<64x32xi8, #blocked>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<64x32xi8, #blocked> -> i1
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<64x32xi8>) {
    // expected-error@below {{'ttg.fp4_to_fp' op source and result must both have an encoding, or neither}}
    %0 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<64x32xi8> -> tensor<64x64xbf16, #blocked>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'ttg.global_scratch_alloc' op result #0 must be ptr, but got 'i1'}}
    %0 = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "f"}> ({
    // expected-error@below {{#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>, kWidth = 8}> is not a valid encoding}}
    %0 = "ttg.local_alloc"() : () -> (!ttg.memdesc<5x128x64xf8E4M3FNUZ, #ttg.dot_op<{opIdx = 0, parent = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>, kWidth = 8}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "f"}> ({
    // expected-error@below {{#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>}> is not a valid encoding}}
    %0 = "ttg.local_alloc"() : () -> (!ttg.memdesc<2x64x128xi8, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.target" = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "f"}> ({
    // expected-error@below {{#ttg.linear<{register = [[1, 0], [0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [0, 32], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}> is not a valid encoding}}
    %0 = "ttg.local_alloc"() : () -> (!ttg.memdesc<4x128x64xf8E4M3FNUZ, #ttg.linear<{register = [[1, 0], [0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [0, 32], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%arg0: i32) {
    // expected-error@below {{'ttg.local_alloc' op operand #0 must be ranked tensor of floating-point or integer or ptr values, but got 'i32'}}
    %0 = ttg.local_alloc %arg0 : (i32) -> !ttg.memdesc<3x128x64xf8E4M3FNUZ, #shared, #smem, mutable>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "f"}> ({
    // expected-error@below {{rank must be equal to or one less than the shape size. Got 1 and 3}}
    %0 = "ttg.local_alloc"() : () -> (!ttg.memdesc<3x128x64xf8E4M3FNUZ, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'ttg.local_alloc' op result #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i32'}}
    %0 = ttg.local_alloc : () -> i32
    tt.return
  }
}

// -----

"builtin.module"() ({
  // expected-error@below {{#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}> is not a valid encoding}}
  "tt.func"() <{function_type = (!ttg.memdesc<1x64x128xi8, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}>, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<1x64x128xi8, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}>, #ttg.shared_memory, mutable>):
    "ttg.local_dealloc"(%0) : (!ttg.memdesc<1x64x128xi8, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [2, 1], order = [1, 0]}>, #ttg.shared_memory, mutable>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.target" = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%arg0: tensor<*xf32>) {
    // expected-error@below {{'ttg.local_dealloc' op operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'tensor<*xf32>'}}
    ttg.local_dealloc %arg0 : tensor<*xf32>
    tt.return
  }
}

// -----

"builtin.module"() ({
  // expected-error@below {{rank must be equal to or one less than the shape size. Got 1 and 3}}
  "tt.func"() <{function_type = (!ttg.memdesc<1x64x128xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<1x64x128xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>):
    "ttg.local_dealloc"(%0) : (!ttg.memdesc<1x64x128xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.target" = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  // expected-error@below {{shape has 0 dimension}}
  "tt.func"() <{function_type = (!ttg.memdesc<0x64x128xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<0x64x128xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>):
    "ttg.local_dealloc"(%0) : (!ttg.memdesc<0x64x128xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, "ttg.target" = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  // expected-error@below {{shape must have power-of-2 and non-zero dimensions; got 128, 64, 3}}
  "tt.func"() <{function_type = (!ttg.memdesc<128x64x3xf16, #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<128x64x3xf16, #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>, #ttg.shared_memory, mutable>):
    "ttg.local_dealloc"(%0) : (!ttg.memdesc<128x64x3xf16, #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>, #ttg.shared_memory, mutable>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i1, %arg1: tensor<64x64xi32, #blocked>) {
    // expected-error@below {{'ttg.local_gather' op operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i1'}}
    %0 = ttg.local_gather %arg0[%arg1] {axis = 1 : i32} : i1, tensor<64x64xi32, #blocked> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'ttg.local_load' op operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i1'}}
    %0 = ttg.local_load %arg0 : i1 -> tensor<16x64xbf16, #blocked>
    tt.return
  }
}

// -----

#mma = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [0, 2], [1, 0]]}}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<128x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.local_load' op result has rank 2 but memdesc encoding has rank 1}}
    %0 = ttg.local_load %arg0 : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<64x64xf16, #shared, #smem>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
    %0 = ttg.local_load %arg0 : !ttg.memdesc<64x64xf16, #shared, #smem> -> f32
    tt.return
  }
}

// -----

#mma = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [0, 2], [1, 0]]}}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<64x128xf16, #shared, #smem>) {
    // expected-error@below {{'ttg.local_load' op source element type '!ttg.memdesc<64x128xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #ttg.shared_memory>' must match destination element type 'bf16'}}
    %0 = ttg.local_load %arg0 : !ttg.memdesc<64x128xf16, #shared, #smem> -> tensor<64x128xbf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<8x64xbf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.local_load' op source shape [8, 64] must match [destination shape 16, 64]}}
    %0 = ttg.local_load %arg0 : !ttg.memdesc<8x64xbf16, #shared, #smem, mutable> -> tensor<16x64xbf16, #blocked>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i1, %arg1: !ttg.memdesc<64x128xi8, #shared, #smem, mutable>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    ttg.local_store %arg0, %arg1 : i1 -> !ttg.memdesc<64x128xi8, #shared, #smem, mutable>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: index) {
    // expected-error@below {{'ttg.mask' op operand #0 must be 1-bit signless integer, but got 'index'}}
    "ttg.mask"(%arg0) ({
      "ttg.mask.return"() : () -> ()
    }) : (index) -> ()
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i1, i1) -> (), sym_name = "f"}> ({
  ^bb0(%0: i1, %2: i1):
    %1 = "ttg.mask"(%0) ({
      // expected-error@below {{'arith.addi' op requires the same type for all operands and results}}
      %3 = "arith.addi"(%2, %2) <{"overflowFlags" = #arith.overflow<none>}> : (i1, i1) -> (i32)
      "ttg.mask.return"(%3) : (i32) -> ()
    }) : (i1) -> (i32)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:100", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!ttg.memdesc<2x64x128xf16, #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>, #ttg.shared_memory, mutable>, i32) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<2x64x128xf16, #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>, #ttg.shared_memory, mutable>, %1: i32):
    // expected-error@below {{#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 32], warpsPerCTA = [8, 1], order = [1, 0]}> is not a valid encoding}}
    %2 = "ttg.memdesc_index"(%0, %1) : (!ttg.memdesc<2x64x128xf16, #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>, #ttg.shared_memory, mutable>, i32) -> (!ttg.memdesc<64x128xf16, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 32], warpsPerCTA = [8, 1], order = [1, 0]}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%arg0: i32) {
    // expected-error@below {{'ttg.memdesc_index' op operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i32'}}
    %0 = ttg.memdesc_index %arg0[%arg0] : i32 -> !ttg.memdesc<128x64xf8E4M3FNUZ, #shared, #smem, mutable>
    tt.return
  }
}

// -----

"builtin.module"() ({
  // expected-error@below {{rank must be equal to or one less than the shape size. Got 1 and 3}}
  "tt.func"() <{function_type = (!ttg.memdesc<1x128x64xf8E4M3FNUZ, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>, i32) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<1x128x64xf8E4M3FNUZ, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>, %1: i32):
    %2 = "ttg.memdesc_index"(%0, %1) : (!ttg.memdesc<1x128x64xf8E4M3FNUZ, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>, i32) -> (!ttg.memdesc<128x64xf8E4M3FNUZ, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()

// -----

#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<2x64x128xf16, #shared, #smem, mutable>, %arg1: i32) {
    // expected-error@below {{'ttg.memdesc_index' op result #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'none'}}
    %0 = ttg.memdesc_index %arg0[%arg1] : !ttg.memdesc<2x64x128xf16, #shared, #smem, mutable> -> none
    tt.return
  }
}

// -----

"builtin.module"() ({
  // expected-error@below {{shape has 0 dimension}}
  "tt.func"() <{function_type = (!ttg.memdesc<0x128x64xf8E4M3FNUZ, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>, i32) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<0x128x64xf8E4M3FNUZ, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>, %1: i32):
    %2 = "ttg.memdesc_index"(%0, %1) : (!ttg.memdesc<0x128x64xf8E4M3FNUZ, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>, i32) -> (!ttg.memdesc<128x64xf8E4M3FNUZ, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!ttg.memdesc<8192xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<8192xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>):
    // expected-error@below {{#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}> is not a valid encoding}}
    %1 = "ttg.memdesc_reinterpret"(%0) : (!ttg.memdesc<8192xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>) -> (!ttg.memdesc<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  // expected-error@below {{#gluon.auto_encoding is not a valid encoding}}
  "tt.func"() <{function_type = (!ttg.memdesc<8192xi8, #gluon.auto_encoding, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<8192xi8, #gluon.auto_encoding, #ttg.shared_memory, mutable>):
    %1 = "ttg.memdesc_reinterpret"(%0) : (!ttg.memdesc<8192xi8, #gluon.auto_encoding, #ttg.shared_memory, mutable>) -> (!ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!ttg.memdesc<8192xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<8192xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>):
    // expected-error@below {{block shape along the contiguous dimension 1 is too small for the swizzle byte size 128 in an NVMMASharedLayout, got 64 but expected at least 128}}
    %1 = "ttg.memdesc_reinterpret"(%0) : (!ttg.memdesc<8192xi8, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>) -> (!ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'ttg.memdesc_reinterpret' op operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i1'}}
    %0 = ttg.memdesc_reinterpret %arg0 : i1 -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<8192xi8, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_reinterpret' op result #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i1'}}
    %0 = ttg.memdesc_reinterpret %arg0 : !ttg.memdesc<8192xi8, #shared, #smem, mutable> -> i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!ttg.memdesc<4096xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<4096xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>):
    // expected-error@below {{#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}> is not a valid encoding}}
    %1 = "ttg.memdesc_reshape"(%0) : (!ttg.memdesc<4096xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #ttg.shared_memory, mutable>) -> (!ttg.memdesc<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  // expected-error@below {{#gluon.auto_encoding is not a valid encoding}}
  "tt.func"() <{function_type = (!ttg.memdesc<4096xf16, #gluon.auto_encoding, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<4096xf16, #gluon.auto_encoding, #ttg.shared_memory, mutable>):
    %1 = "ttg.memdesc_reshape"(%0) : (!ttg.memdesc<4096xf16, #gluon.auto_encoding, #ttg.shared_memory, mutable>) -> (!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<4096xf16, #shared, #smem, mutable, 8192>) {
    // expected-error@below {{'ttg.memdesc_reshape' op NYI: memdesc_reshape of memdesc_subslice}}
    %0 = ttg.memdesc_reshape %arg0 : !ttg.memdesc<4096xf16, #shared, #smem, mutable, 8192> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'ttg.memdesc_reshape' op operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i1'}}
    %0 = ttg.memdesc_reshape %arg0 : i1 -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<4096xi1, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_reshape' op requires the same element type for all operands and results}}
    %0 = ttg.memdesc_reshape %arg0 : !ttg.memdesc<4096xi1, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<4096xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_reshape' op result #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i1'}}
    %0 = ttg.memdesc_reshape %arg0 : !ttg.memdesc<4096xf16, #shared, #smem, mutable> -> i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  // expected-error@below {{#gluon.auto_encoding is not a valid encoding}}
  "tt.func"() <{function_type = (!ttg.memdesc<64x64xf16, #gluon.auto_encoding, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<64x64xf16, #gluon.auto_encoding, #ttg.shared_memory, mutable>):
    %1 = "ttg.memdesc_subslice"(%0) <{"offsets" = array<i32: 0, 32>}> : (!ttg.memdesc<64x64xf16, #gluon.auto_encoding, #ttg.shared_memory, mutable>) -> (!ttg.memdesc<64x32xf16, #gluon.auto_encoding, #ttg.shared_memory, mutable, 64x64>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_subslice' op A non zero offset found in a dimension that is not being split}}
    %0 = ttg.memdesc_subslice %arg0[1, 32] : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'ttg.memdesc_subslice' op operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i1'}}
    %0 = ttg.memdesc_subslice %arg0[0, 32] : i1 -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<64x64xi1, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_subslice' op result element type must match desc element type}}
    %0 = ttg.memdesc_subslice %arg0[0, 32] : !ttg.memdesc<64x64xi1, #shared, #smem, mutable> -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_subslice' op result #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i1'}}
    %0 = ttg.memdesc_subslice %arg0[0, 32] : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable>):
    // expected-error@below {{shape must be less than or equal to allocShape. shape = 128, 32, allocShape = 64, 64}}
    %1 = "ttg.memdesc_subslice"(%0) <{"offsets" = array<i32: 0, 32>}> : (!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable>) -> (!ttg.memdesc<128x32xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable, 64x64>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable>):
    // expected-error@below {{#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}> is not a valid encoding}}
    %1 = "ttg.memdesc_trans"(%0) <{"order" = array<i32: 1, 0>}> : (!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #ttg.shared_memory, mutable>) -> (!ttg.memdesc<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  // expected-error@below {{#gluon.auto_encoding is not a valid encoding}}
  "tt.func"() <{function_type = (!ttg.memdesc<64x64xf16, #gluon.auto_encoding, #ttg.shared_memory, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%0: !ttg.memdesc<64x64xf16, #gluon.auto_encoding, #ttg.shared_memory, mutable>):
    %1 = "ttg.memdesc_trans"(%0) <{"order" = array<i32: 1, 0>}> : (!ttg.memdesc<64x64xf16, #gluon.auto_encoding, #ttg.shared_memory, mutable>) -> (!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #ttg.shared_memory, mutable>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<64x64xf16, #shared, #smem>) {
    // expected-error@below {{inferred type(s) '!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #ttg.shared_memory>' are incompatible with return type(s) of operation '!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>, #ttg.shared_memory, mutable>'}}
    %0 = ttg.memdesc_trans %arg0 {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'ttg.memdesc_trans' op operand #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i1'}}
    %0 = ttg.memdesc_trans %arg0 {order = array<i32: 1, 0>} : i1 -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_trans' op order must have the same size as the rank of the operand and result}}
    %0 = ttg.memdesc_trans %arg0 {order = array<i32: 1>} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared1, #smem, mutable>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'ttg.memdesc_trans' op result #0 must be memory descriptor type (`::mlir::triton::gpu::MemDescType`) in Triton IR type system, but got 'i1'}}
    %0 = ttg.memdesc_trans %arg0 {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i32, i1) -> (), sym_name = "f"}> ({
  ^bb0(%0: i32, %1: i1):
    // expected-error@below {{'ttg.predicate_stage' op failed to verify that all of {iv, ub, step} have same type}}
    %2 = "ttg.predicate_stage"(%0, %1, %1) <{"maxStage" = 2 : i32, "stage" = 1 : i32}> : (i32, i1, i1) -> (i1)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:100", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i32, %arg1: i32) {
    // expected-error@below {{'ttg.predicate_stage' op result #0 must be 1-bit signless integer, but got 'i8'}}
    %0 = ttg.predicate_stage %arg0, %arg1, %arg1 maxStage 2 stage 1 : i32 -> i8
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "f"}> ({
    // expected-error@below {{'ttg.warp_id' op result #0 must be 32-bit signless integer, but got 'bf16'}}
    %0 = "ttg.warp_id"() : () -> (bf16)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    ttg.warp_specialize()
    default {
      // expected-error@below {{'tt.return' op expects parent op 'tt.func'}}
      tt.return
    } : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    ttg.warp_specialize()
    default {
      // expected-error@below {{'scf.yield' op expects parent op to be one of 'scf.execute_region', 'scf.for', 'scf.if', 'scf.while'}}
      scf.yield
    } : () -> ()
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "f"}> ({
    // expected-error@below {{'ttg.warp_specialize' op has 0 partitions but `partitionNumWarps` has 1 elements}}
    "ttg.warp_specialize"() <{"partitionNumWarps" = array<i32: 0>}> ({
      "ttg.warp_yield"() : () -> ()
    }, {
      "ttg.warp_specialize.partitions"() : () -> ()
    }) : () -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:100", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i32) {
    // expected-error@below {{'ttg.warp_specialize' op has 1 warp group start IDs but expected 2}}
    %0 = ttg.warp_specialize(%arg0) attributes {requestedRegisters = array<i32: 24, 48>, warpGroupStartIds = array<i32: 4>}
    default {
      ttg.warp_yield %arg0 : i32
    }
    partition0(%arg1: i32) num_warps(2) {
      %1 = arith.addi %arg1, %arg1 {ttg.partition = array<i32: 0, 1>} : i32
      ttg.warp_return
    }
    partition1(%arg1: i32) num_warps(1) {
      ttg.warp_return
    } : (i32) -> i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i32) {
    %0 = ttg.warp_specialize(%arg0) attributes {requestedRegisters = array<i32: 24, 48>, warpGroupStartIds = array<i32: 4, 6>}
    default {
      ttg.warp_yield %arg0 : i32
    }
    partition0(%arg1: i32) num_warps(2) {
      // expected-error@below {{'arith.addi' op has duplicated partition ids in attribute "ttg.partition"}}
      %1 = arith.addi %arg1, %arg1 {ttg.partition = array<i32: 1, 1>} : i32
      ttg.warp_return
    }
    partition1(%arg1: i32) num_warps(1) {
      ttg.warp_return
    } : (i32) -> i32
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
  ^bb0(%1: i32):
    %0 = "ttg.warp_specialize"() <{"partitionNumWarps" = array<i32: 2, 1>, "requestedRegisters" = array<i32: 24, 48>, "warpGroupStartIds" = array<i32: 4, 6>}> ({
      "ttg.warp_yield"(%1) : (i32) -> ()
    }, {
      // expected-error@below {{'ttg.warp_specialize.partitions' op partition region #0 argument #0 has type 'i8' but corresponding capture has type 'i32'}}
      "ttg.warp_specialize.partitions"(%1) ({
      ^b0(%2: i8):
        %3 = "arith.addi"(%2, %2) <{"overflowFlags" = #arith.overflow<none>}> {"ttg.partition" = array<i32: 0, 1>} : (i8, i8) -> (i32)
        "ttg.warp_return"() : () -> ()
      }, {
      ^b0(%4: i32):
        "ttg.warp_return"() : () -> ()
      }) : (i32) -> ()
    }) : () -> (i32)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:100", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i32) {
    %0 = ttg.warp_specialize(%arg0) attributes {requestedRegisters = array<i32: 24, 48>, warpGroupStartIds = array<i32: 4, 6>}
    default {
      ttg.warp_yield %arg0 : i32
    }
    // expected-error@below {{'ttg.warp_specialize.partitions' op partition region #1 has 0 arguments but expected 1}}
    partition0(%arg1: i32) num_warps(2) {
      %1 = arith.addi %arg1, %arg1 {ttg.partition = array<i32: 0, 1>} : i32
      ttg.warp_return
    }
    partition1() num_warps(1) {
      ttg.warp_return
    } : (i32) -> i32
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
  ^bb0(%1: i32):
    %0 = "ttg.warp_specialize"() <{"partitionNumWarps" = array<i32: 2, 1>, "requestedRegisters" = array<i32: 24, 48>, "warpGroupStartIds" = array<i32: 4, 6>}> ({
      "ttg.warp_yield"(%1) : (i32) -> ()
    }, {
      "ttg.warp_specialize.partitions"(%1) ({
      ^b0(%2: i32):
        // expected-error@below {{'arith.addi' op requires the same type for all operands and results}}
        %3 = "arith.addi"(%2, %2) <{"overflowFlags" = #arith.overflow<none>}> {"ttg.partition" = array<i32: 0, 1>} : (i32, i32) -> (i1)
        "ttg.warp_return"() : () -> ()
      }, {
      ^b0(%4: i32):
        "ttg.warp_return"() : () -> ()
      }) : (i32) -> ()
    }) : () -> (i32)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:100", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'ttg.warp_specialize' op warp-specialized kernels requires num_warps to be a multiple of 4}}
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    } : () -> ()
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'ttg.barrier' op Invalid attribute `addrSpace` in property conversion: 32 : i32}}
    "ttg.barrier"() <{addrSpace = 32 : i32}> : () -> ()
    tt.return
  }
}

// -----

#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
module {
  // expected-error@below {{alloc shape has 0 dimension}}
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable, 0x64x64>) {
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module {
  // expected-error@below {{expected static shape}}
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #shared, #ttg.shared_memory, mutable, ?x64x64>) {
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'ttg.warp_specialize' op default region must have no arguments}}
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> ({
    ^bb0(%a: i32):
      "ttg.warp_yield"() : () -> ()
    }, {
      "ttg.warp_specialize.partitions"() : () -> ()
    }) : () -> ()
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f() {
    // expected-error@below {{'ttg.warp_specialize' op partition holder region must have no arguments}}
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> ({
      "ttg.warp_yield"() : () -> ()
    }, {
    ^bb0(%a: i32):
      "ttg.warp_specialize.partitions"() : () -> ()
    }) : () -> ()
    tt.return
  }
}
