// RUN: weft opt %s --split-input-file --verify-diagnostics

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%o: tensor<64x64xi32, #blocked>, %g: !tt.ptr<f32>) {
    // expected-error@below {{'amdg.buffer_load' op failed to verify that result element type matches the pointed type of ptr}}
    %r = "amdg.buffer_load"(%g, %o) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (!tt.ptr<f32>, tensor<64x64xi32, #blocked>) -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>, %s: tensor<64x32xi32, #blocked>, %h: !tt.ptr<f16>) {
    // expected-error@below {{'amdg.buffer_store' op failed to verify that value and offsets have the same shape}}
    "amdg.buffer_store"(%t, %h, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<64x64xf16, #blocked>, !tt.ptr<f16>, tensor<64x32xi32, #blocked>) -> ()
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'amdg.extract_slice' op invalid offset at dimension 1}}
    %r = amdg.extract_slice %t [0, 48] : tensor<64x64xf16, #blocked> to tensor<64x32xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'amdg.extract_slice' op result rank must be equal to source rank}}
    %r = amdg.extract_slice %t [0] : tensor<64x64xf16, #blocked> to tensor<64x32xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'amdg.extract_slice' op result element type must match source element type}}
    %r = amdg.extract_slice %t [0, 0] : tensor<64x64xf16, #blocked> to tensor<64x32xf32, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>, %n: tensor<64x32xf16, #blocked>) {
    // expected-error@below {{'amdg.concat' op All sources must have identical tensor types.}}
    %r = amdg.concat %t, %n : tensor<64x64xf16, #blocked>, tensor<64x32xf16, #blocked> -> tensor<128x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'amdg.concat' op Number of source tiles (2) doesn't match required count (1).}}
    %r = amdg.concat %t, %t : tensor<64x64xf16, #blocked>, tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'amdg.in_thread_transpose' op Expect equal input and output shapes}}
    %r = amdg.in_thread_transpose %t : tensor<64x64xf16, #blocked> -> tensor<64x32xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>, %e: tensor<64x64xi8, #blocked>) {
    // expected-error@below {{'amdg.scaled_upcast_fp4' op operand #1 must be ranked tensor of bfloat16 type or 8-bit signless integer values, but got 'tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>'}}
    %r = amdg.scaled_upcast_fp4 %e scale %t {axis = 2 : i32} : tensor<64x64xi8, #blocked>, tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>, %e: tensor<64x64xi8, #blocked>) {
    // expected-error@below {{'amdg.scaled_upcast_fp4' op operand #1 must be ranked tensor of bfloat16 type or 8-bit signless integer values, but got 'tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>'}}
    %r = amdg.scaled_upcast_fp4 %e scale %t {axis = 1 : i32} : tensor<64x64xi8, #blocked>, tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%e: tensor<64x64xi8, #blocked>, %n: tensor<64x32xf16, #blocked>) {
    // expected-error@below {{'amdg.scaled_upcast_fp8' op operand #0 must be ranked tensor of f8E4M3FN type or f8E5M2 type values, but got 'tensor<64x64xi8, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>'}}
    %r = amdg.scaled_upcast_fp8 %e scale %n : tensor<64x64xi8, #blocked>, tensor<64x32xf16, #blocked> -> tensor<64x64xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%e: tensor<64x64xi8, #blocked>, %n: tensor<64x32xf16, #blocked>) {
    // expected-error@below {{'amdg.scaled_upcast_fp8' op operand #0 must be ranked tensor of f8E4M3FN type or f8E5M2 type values, but got 'tensor<64x64xi8, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>'}}
    %r = amdg.scaled_upcast_fp8 %e scale %n : tensor<64x64xi8, #blocked>, tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #blocked>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%f: !ttg.memdesc<64x64xf16, #shared, #smem>, %i: i32, %d: !tt.tensordesc<tensor<64x64xf16, #shared>>) {
    // expected-error@below {{'amdg.async_tdm_copy_global_to_local' op TDM does not support swizzling}}
    %r = amdg.async_tdm_copy_global_to_local %d[%i, %i] into %f, %i : !tt.tensordesc<tensor<64x64xf16, #shared>> -> !ttg.memdesc<64x64xf16, #shared, #smem>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>, %g: !tt.ptr<f32>) {
    %p = tt.splat %g : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    // expected-error@below {{'amdg.async_copy_local_to_global' op expected pointers to elements of type f16, but got 'tensor<64x64x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>'}}
    %r = amdg.async_copy_local_to_global %b, %p : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'amdg.local_load_packed_tranposed' op only works with DotOperandEncodingAttr dst encoding}}
    %r = amdg.local_load_packed_tranposed %b : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x32xf16, #blocked>
    tt.return
  }
}

// -----

#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64xf16, #shared, #smem, mutable>) {
    // expected-error@below {{'amdg.init_barrier' op barrier allocation must be a descriptor of Nxi64 type with N <= number of CTAs}}
    amdg.init_barrier %b, 1 : !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'amdg.cluster_barrier_wait' op requires ttg.num-ctas > 1}}
    amdg.cluster_barrier_wait
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{expected amdg.SchedHintVariant to be one of: none, attention; found attentoin (did you mean attention?)}}
    amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attentoin>}
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{'amdg.instruction_sched_hint' op requires attribute 'variant'}}
    amdg.instruction_sched_hint
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>, %h: !tt.ptr<f16>, %e: tensor<64x64xi8, #blocked>) {
    // expected-error@below {{'amdg.buffer_store' op operand #2 must be tensor of 32-bit signless integer values, but got 'tensor<64x64xi8, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>'}}
    "amdg.buffer_store"(%t, %h, %e) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<64x64xf16, #blocked>, !tt.ptr<f16>, tensor<64x64xi8, #blocked>) -> ()
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'amdg.in_thread_transpose' op Expect input and output tensor to have same dtype}}
    %r = amdg.in_thread_transpose %t : tensor<64x64xf16, #blocked> -> tensor<64x64xf32, #blocked>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error@below {{custom op 'lod' is unknown (did you mean tt.load?)}}
    amdg.memory_counter_wait lod(1)
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x64xf8E5M2, #blocked>, %s: tensor<64x32xbf16, #blocked>) {
    // expected-error@below {{'amdg.scaled_upcast_fp8' op all non-scalar operands/results must have the same shape and base type}}
    %0 = amdg.scaled_upcast_fp8 %x scale %s : tensor<64x64xf8E5M2, #blocked>, tensor<64x32xbf16, #blocked> -> tensor<64x64xbf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x64xf8E5M2, #blocked>, %s: tensor<64x64xbf16, #blocked1>) {
    // expected-error@below {{'amdg.scaled_upcast_fp8' op requires the same encoding for all operands}}
    %0 = amdg.scaled_upcast_fp8 %x scale %s : tensor<64x64xf8E5M2, #blocked>, tensor<64x64xbf16, #blocked1> -> tensor<64x64xbf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<0x64xf16, #blocked>) {
    // expected-error@below {{'amdg.concat' op Source and destination tensor shapes don't match.}}
    %0 = amdg.concat %x, %x : tensor<0x64xf16, #blocked>, tensor<0x64xf16, #blocked> -> tensor<128x64xf16, #blocked>
    tt.return
  }
}

// -----

#shared = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%b: !ttg.memdesc<64x64x!tt.ptr<f32>, #shared, #smem, mutable>, %i: i32, %d: !tt.tensordesc<tensor<64x64xi64, #shared>>) {
    // expected-error@below {{'amdg.async_tdm_copy_global_to_local' op TDM does not support element type !tt.ptr<f32>}}
    %r = amdg.async_tdm_copy_global_to_local %d[%i, %i] into %b, %i : !tt.tensordesc<tensor<64x64xi64, #shared>> -> !ttg.memdesc<64x64x!tt.ptr<f32>, #shared, #smem, mutable>
    tt.return
  }
}

// -----

// An attribute of type i1 is read as 0 or -1.
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i1, "ttg.num-warps" = 4 : i32} {
  tt.func @f(%a: !ttg.memdesc<1xi64, #shared, #ttg.shared_memory, mutable>) {
    // expected-error@below {{'amdg.init_barrier' op barrier allocation must be a descriptor of Nxi64 type with N <= number of CTAs}}
    amdg.init_barrier %a, 1 : !ttg.memdesc<1xi64, #shared, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

module {
  tt.func @f(%p: !llvm.ptr<1>, %m: i1, %v: f8E4M3FN) {
    // expected-error@below {{'amdg.masked_load' op operand #2 must be LLVM dialect-compatible type, but got 'f8E4M3FN'}}
    %0 = amdg.masked_load %p, %m, %v : (!llvm.ptr<1>, i1, f8E4M3FN) -> f8E4M3FN
    tt.return
  }
}

// -----

module {
  tt.func @f(%p: !llvm.ptr<1>, %m: i1, %v: vector<4x4xf32>) {
    // expected-error@below {{'amdg.masked_load' op operand #2 must be LLVM dialect-compatible type, but got 'vector<4x4xf32>'}}
    %0 = amdg.masked_load %p, %m, %v : (!llvm.ptr<1>, i1, vector<4x4xf32>) -> vector<4x4xf32>
    tt.return
  }
}
