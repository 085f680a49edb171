// RUN: weft opt %s --split-input-file --verify-diagnostics

module {
  tt.func @f() {
    // expected-error@below {{'tt.make_range' op number of elements in returned tensor, 4, must match size of range [0, 8), which has 8 elements}}
    %r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%f: f32) {
    // expected-error@below {{'tt.splat' op requires the same element type for all operands and results}}
    %r = tt.splat %f : f32 -> tensor<4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{'tt.broadcast' op Different dimensions at index 0 between source and result.  Broadcast requires the source dimension to be 1.}}
    %r = tt.broadcast %t : tensor<4xi32> -> tensor<8xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{'tt.broadcast' op rank of source must be same as rank of result}}
    %r = tt.broadcast %t : tensor<4xi32> -> tensor<4x4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'tt.broadcast' op requires the same element type for all operands and results}}
    %r = tt.broadcast %u : tensor<4xf32> -> tensor<4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{'tt.expand_dims' op inferred type(s) 'tensor<4x1xi32>' are incompatible with return type(s) of operation 'tensor<1x4xi32>'}}
    %r = tt.expand_dims %t {axis = 1 : i32} : tensor<4xi32> -> tensor<1x4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'tt.expand_dims' op requires the same element type for all operands and results}}
    %r = tt.expand_dims %u {axis = 0 : i32} : tensor<4xf32> -> tensor<1x4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{'tt.reshape' op number of src and dst elements of reshape must be the same}}
    %r = tt.reshape %t : tensor<4xi32> -> tensor<8xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'tt.reshape' op requires the same element type for all operands and results}}
    %r = tt.reshape %u : tensor<4xf32> -> tensor<4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{'tt.trans' op order must have the same size as the source tensor}}
    %r = tt.trans %t {order = array<i32: 1, 0>} : tensor<4xi32> -> tensor<4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%v: tensor<8x4xf32>) {
    // expected-error@below {{'tt.trans' op order must be a permutation of 0..n-1}}
    %r = tt.trans %v {order = array<i32: 0, 0>} : tensor<8x4xf32> -> tensor<8x4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%v: tensor<8x4xf32>) {
    // expected-error@below {{'tt.trans' op result shape must match the permutation of the source shape}}
    %r = tt.trans %v {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<8x4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'tt.trans' op requires the same element type for all operands and results}}
    %r = tt.trans %u {order = array<i32: 0>} : tensor<4xf32> -> tensor<4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{'tt.join' op result shape must be (4, 2), but got 4, 4}}
    %r = tt.join %t, %t : tensor<4xi32> -> tensor<4x4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'tt.split' op failed to infer returned types: last dimension of input tensor must be 2}}
    %r:2 = "tt.split"(%u) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %h: !tt.ptr<f16>) {
    // expected-error@below {{'tt.addptr' op failed to verify that result type matches ptr type}}
    %r = "tt.addptr"(%h, %x) : (!tt.ptr<f16>, i32) -> !tt.ptr<f32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %tp: tensor<4x!tt.ptr<f32>>) {
    // expected-error@below {{'tt.addptr' op requires the same shape for all operands and results}}
    %r = "tt.addptr"(%tp, %x) : (tensor<4x!tt.ptr<f32>>, i32) -> tensor<4x!tt.ptr<f32>>
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'ptr' must be ptr or ranked tensor of ptr values, but got 'i32'}}
    %r = tt.load %x : i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %l: i64, %h: !tt.ptr<f16>) {
    // expected-error@below {{'result' must be a pointer to a tensor, but got '!tt.ptr<f16>'}}
    %r = tt.make_tensor_ptr %h, [%l], [%l], [%x] {order = array<i32: 0>} : <f16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%tp: tensor<4x!tt.ptr<f32>>) {
    // expected-error@below {{expected CacheModifier to be one of: none, ca, cg, wb, cs, wt, cv; found cz}}
    %r = tt.load %tp cacheModifier = cz : tensor<4x!tt.ptr<f32>>
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{'tt.reduce' op axis out of bounds for operand rank 1}}
    %r = "tt.reduce"(%t) <{axis = 1 : i32}> ({
    ^bb0(%p0: i32, %q0: i32):
      tt.reduce.return %p0 : i32
    }) : (tensor<4xi32>) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{'tt.reduce' op axis out of bounds for operand rank 1}}
    %r = "tt.reduce"(%t) <{axis = -1 : i32}> ({
    ^bb0(%p0: i32, %q0: i32):
      tt.reduce.return %p0 : i32
    }) : (tensor<4xi32>) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{'tt.reduce' op nested block must take 2 arguments, but given block with 1 arguments}}
    %r = "tt.reduce"(%t) <{axis = 0 : i32}> ({
    ^bb0(%p0: i32):
      tt.reduce.return %p0 : i32
    }) : (tensor<4xi32>) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'tt.reduce' op type mismatch on combine operation. Expected argument 1 to have type 'f32' but got 'i32'}}
    %r = "tt.reduce"(%u) <{axis = 0 : i32}> ({
    ^bb0(%p0: f32, %q0: i32):
      tt.reduce.return %p0 : f32
    }) : (tensor<4xf32>) -> f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'tt.reduce' op combine operation must be terminated with a 'tt.reduce.return' but got 'tt.scan.return'}}
    %r = "tt.reduce"(%u) <{axis = 0 : i32}> ({
    ^bb0(%p0: f32, %q0: f32):
      tt.scan.return %p0 : f32
    }) : (tensor<4xf32>) -> f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'tt.reduce' op inferred type(s) 'f32' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
    %r = "tt.reduce"(%u) <{axis = 0 : i32}> ({
    ^bb0(%p0: f32, %q0: f32):
      tt.reduce.return %p0 : f32
    }) : (tensor<4xf32>) -> tensor<4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%v: tensor<8x4xf32>) {
    // expected-error@below {{'tt.reduce' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<8xf32>'}}
    %r = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%p0: f32, %q0: f32):
      tt.reduce.return %p0 : f32
    }) : (tensor<8x4xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'tt.scan' op requires the same shape for all operands and results}}
    %r = "tt.scan"(%u) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%p0: f32, %q0: f32):
      tt.scan.return %p0 : f32
    }) : (tensor<4xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'tt.scan' op combine operation must be terminated with a 'tt.scan.return' but got 'tt.reduce.return'}}
    %r = "tt.scan"(%u) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%p0: f32, %q0: f32):
      tt.reduce.return %p0 : f32
    }) : (tensor<4xf32>) -> tensor<4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{custom op 'tt.reduce' has no custom assembly form}}
    %r = tt.reduce %t : tensor<4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%a: tensor<16x32xf16>, %b: tensor<16x32xf16>, %d: tensor<16x16xf32>) {
    // expected-error@below {{'tt.dot' op expected the last dimension of the first operand to be equal to the second-to-last dimension of the second operand}}
    %r = tt.dot %a, %b, %d : tensor<16x32xf16> * tensor<16x32xf16> -> tensor<16x16xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%a: tensor<16x32xf16>, %b1: tensor<32x8xf16>, %d: tensor<16x16xf32>) {
    // expected-error@below {{'tt.dot' op expected the output shape to be the concatenation of the last dimension of the first operand and the last dimension of the second}}
    %r = tt.dot %a, %b1, %d : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x16xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%a: tensor<16x32xf16>, %d: tensor<16x16xf32>, %b3: tensor<2x32x16xf16>) {
    // expected-error@below {{'tt.dot' op expected all operands to have the same rank}}
    %r = tt.dot %a, %b3, %d : tensor<16x32xf16> * tensor<2x32x16xf16> -> tensor<16x16xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i32) -> f32 {
    // expected-error@below {{'tt.return' op type of return operand 0 ('i32') doesn't match function result type ('f32') in function @f}}
    tt.return %arg0 : i32
  }
}

// -----

module {
  tt.func @f(%arg0: i32) -> f32 {
    // expected-error@below {{'tt.return' op has 0 operands, but enclosing function (@f) returns 1}}
    tt.return
  }
}

// -----

module {
  // expected-error@below {{'tt.func' op type of entry block argument #0('f32') must match the type of the corresponding argument in function signature('i32')}}
  "tt.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: f32):
    tt.return
  }) : () -> ()
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{expected ProgramDim to be one of: x, y, z; found w}}
    %r = tt.get_program_id w : i32
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%y: tensor<64x1xf16, #blocked>) {
    // expected-error@below {{'tt.broadcast' op requires the same encoding for all operands and results}}
    %r = tt.broadcast %y : tensor<64x1xf16, #blocked> -> tensor<64x64xf16, #mma>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%z: tensor<64xf16, #line>) {
    // expected-error@below {{'tt.expand_dims' op failed to infer returned types: ExpandDimsOp operand encoding must be SliceEncodingAttr}}
    %r = tt.expand_dims %z {axis = 1 : i32} : tensor<64xf16, #line> -> tensor<64x1xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#slice0 = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%s: tensor<64xf16, #slice0>) {
    // expected-error@below {{'tt.expand_dims' op failed to infer returned types: Incompatible slice dimension for ExpandDimsOp operand}}
    %r = tt.expand_dims %s {axis = 1 : i32} : tensor<64xf16, #slice0> -> tensor<64x1xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#slice0 = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%w: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{'tt.reduce' op inferred type(s) 'tensor<64xf16, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>>' are incompatible with return type(s) of operation 'tensor<64xf16, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>>'}}
    %r = "tt.reduce"(%w) <{axis = 1 : i32}> ({
    ^bb0(%p0: f16, %q0: f16):
      tt.reduce.return %p0 : f16
    }) : (tensor<64x64xf16, #blocked>) -> tensor<64xf16, #slice0>
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>, %c: tensor<64x64xf32, #mma>) {
    // expected-error@below {{'tt.dot' op failed to infer returned types: Wrong opIdx}}
    %r = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #mma>) {
    // expected-error@below {{'tt.dot' op failed to infer returned types: Incompatible parent encoding}}
    %r = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32, #blocked>) {
    // expected-error@below {{'tt.dot' op mismatching encoding between A and B operands}}
    %r = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>> * tensor<64x64xf16> -> tensor<64x64xf32, #blocked>
    tt.return
  }
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %b: tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %c: tensor<64x64xf32, #mma>) {
    // expected-error@below {{'tt.dot_scaled' op Wrong opIdx}}
    %r = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * tensor<64x64xi8, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----

tt.func @f(%v: tensor<16xf32>) {
  // expected-error@below {{'tt.dot' op expected operands to be 2d or 3d}}
  %d = tt.dot %v, %v, %v : tensor<16xf32> * tensor<16xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @f(%v: tensor<8x2xf32>) {
  // expected-error@below {{'tt.split' op inferred type(s) 'tensor<8xf32>', 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>', 'tensor<4xf32>'}}
  %a, %b = tt.split %v : tensor<8x2xf32> -> tensor<4xf32>
  tt.return
}

// -----

// expected-error@below {{'tt.func' op entry block must have 2 arguments to match function signature}}
"tt.func"() <{sym_name = "f", function_type = (i32, i32) -> ()}> ({
^bb0(%x: i32):
  tt.return
}) : () -> ()
