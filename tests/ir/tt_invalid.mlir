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
    // expected-error@below {{inferred type(s) 'tensor<4x1xi32>' are incompatible with return type(s) of operation 'tensor<1x4xi32>'}}
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
    // expected-error@below {{last dimension of input tensor must be 2}}
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
    // expected-error@below {{inferred type(s) 'f32' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
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
    // expected-error@below {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<8xf32>'}}
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
    // expected-error@below {{ExpandDimsOp operand encoding must be SliceEncodingAttr}}
    %r = tt.expand_dims %z {axis = 1 : i32} : tensor<64xf16, #line> -> tensor<64x1xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#slice0 = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%s: tensor<64xf16, #slice0>) {
    // expected-error@below {{Incompatible slice dimension for ExpandDimsOp operand}}
    %r = tt.expand_dims %s {axis = 1 : i32} : tensor<64xf16, #slice0> -> tensor<64x1xf16, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#slice0 = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%w: tensor<64x64xf16, #blocked>) {
    // expected-error@below {{inferred type(s) 'tensor<64xf16, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>>' are incompatible with return type(s) of operation 'tensor<64xf16, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>>'}}
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
    // expected-error@below {{Wrong opIdx}}
    %r = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #blocked}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #blocked}>>, %c: tensor<64x64xf32, #mma>) {
    // expected-error@below {{Incompatible parent encoding}}
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
  // expected-error@below {{inferred type(s) 'tensor<8xf32>', 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>', 'tensor<4xf32>'}}
  %a, %b = tt.split %v : tensor<8x2xf32> -> tensor<4xf32>
  tt.return
}

// -----

// expected-error@below {{'tt.func' op entry block must have 2 arguments to match function signature}}
"tt.func"() <{sym_name = "f", function_type = (i32, i32) -> ()}> ({
^bb0(%x: i32):
  tt.return
}) : () -> ()

// -----

#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 2], instrShape = [32, 32, 8], isTransposed = true}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%arg0: tensor<256x1x!tt.ptr<f32>, #mma>, %arg1: tensor<1xi32>) {
    // expected-error@below {{'tt.addptr' op all non-scalar operands/results must have the same shape and base type}}
    %0 = tt.addptr %arg0, %arg1 : tensor<256x1x!tt.ptr<f32>, #mma>, tensor<1xi32>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
  ^bb0(%1: i32):
    // expected-error@below {{'tt.addptr' op operand #0 must be ptr or ranked tensor of ptr values, but got 'i32'}}
    %2 = "tt.addptr"(%1, %1) : (i32, i32) -> (!tt.ptr<f32>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:100", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<tensor<16xi1>>, i32) -> (), sym_name = "f"}> ({
  ^bb0(%0: !tt.ptr<tensor<16xi1>>, %1: i32):
    // expected-error@below {{'tt.advance' op failed to verify that result type matches ptr type}}
    %2 = "tt.advance"(%0, %1, %1) : (!tt.ptr<tensor<16xi1>>, i32, i32) -> (!tt.ptr<tensor<16x32xf32>>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: i8, %arg1: i32) {
    // expected-error@below {{'tt.advance' op operand #0 must be ptr, but got 'i8'}}
    %0 = tt.advance %arg0, [%arg1, %arg1] : i8
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<tensor<16x32xf32>>, i32) -> (), sym_name = "f"}> ({
  ^bb0(%0: !tt.ptr<tensor<16x32xf32>>, %1: i32):
    // expected-error@below {{'tt.advance' op result #0 must be ptr, but got 'i1'}}
    %2 = "tt.advance"(%0, %1, %1) : (!tt.ptr<tensor<16x32xf32>>, i32, i32) -> (i1)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: i8) {
    // expected-error@below {{'tt.assert' op operand #0 must be 1-bit signless integer or tensor of 1-bit signless integer values, but got 'i8'}}
    tt.assert %arg0, "scalar" : i8
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.ptr<f32>, %arg1: i1) {
    // expected-error@below {{'tt.atomic_cas' op failed to verify that ptr type matches cmp type}}
    %0 = tt.atomic_cas acquire, cta, %arg0, %arg1, %arg1 : (!tt.ptr<f32>, i1, i1) -> f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.ptr<f32>, %arg1: f32, %arg2: i1) {
    // expected-error@below {{'tt.atomic_cas' op failed to verify that ptr type matches value type}}
    %0 = tt.atomic_cas acquire, cta, %arg0, %arg1, %arg2 : (!tt.ptr<f32>, f32, i1) -> f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: f32) {
    // expected-error@below {{'tt.atomic_cas' op operand #0 must be ptr or ranked tensor of ptr values, but got 'f32'}}
    %0 = tt.atomic_cas acquire, cta, %arg0, %arg0, %arg0 : (f32, f32, f32) -> f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64x!tt.ptr<f32>>, %arg1: tensor<64xf32>, %arg2: i1) {
    // expected-error@below {{'tt.atomic_rmw' op failed to verify that mask type matches value type}}
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %arg0, %arg1, %arg2 : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, i1) -> tensor<64xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64x!tt.ptr<f32>>, %arg1: tensor<64xi1>) {
    // expected-error@below {{'tt.atomic_rmw' op failed to verify that ptr type matches value type}}
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %arg0, %arg1 : (tensor<64x!tt.ptr<f32>>, tensor<64xi1>) -> tensor<64xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1, %arg1: f32) {
    // expected-error@below {{'tt.atomic_rmw' op operand #0 must be ptr or ranked tensor of ptr values, but got 'i1'}}
    %0 = tt.atomic_rmw exch, relaxed, sys, %arg0, %arg1 : (i1, f32) -> f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64x!tt.ptr<f32>>, %arg1: tensor<64xf32>, %arg2: tensor<64xi1>) {
    // expected-error@below {{'tt.atomic_rmw' op requires the same shape for all operands and results}}
    %0 = tt.atomic_rmw fadd, acq_rel, gpu, %arg0, %arg1, %arg2 : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'tt.bitcast' op Cannot bitcast data-type of size 1 to data-type of size 32}}
    %0 = tt.bitcast %arg0 : i1 -> f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64xi1>) {
    // expected-error@below {{'tt.bitcast' op Cannot bitcast pointer to non-pointer type}}
    %0 = tt.bitcast %arg0 : tensor<64xi1> -> tensor<64x!tt.ptr<i32>>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%arg0: tensor<256x2x!tt.ptr<f16>, #blocked>) {
    // expected-error@below {{'tt.broadcast' op Different dimensions at index 1 between source and result.  Broadcast requires the source dimension to be 1.}}
    %0 = tt.broadcast %arg0 : tensor<256x2x!tt.ptr<f16>, #blocked> -> tensor<256x64x!tt.ptr<f16>, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i32) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i32'}}
    %0 = tt.broadcast %arg0 : i32 -> tensor<128x128x!tt.ptr<bf16>, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 8], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%arg0: tensor<1x128x!tt.ptr<f16>, #blocked>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.broadcast %arg0 : tensor<1x128x!tt.ptr<f16>, #blocked> -> i1
    tt.return
  }
}

// -----

module {
  tt.func private @two(f32, i32) -> (i32, f32)
  tt.func @f(%arg0: i32) {
    // expected-error@below {{'tt.call' op incorrect number of operands for callee}}
    %0:2 = tt.call @two(%arg0) : (i32) -> (i32, f32)
    tt.return
  }
}

// -----

module {
  tt.func private @two(f32, i32) -> (i32, f32)
  tt.func @f(%arg0: f32, %arg1: i32) {
    // expected-error@below {{'tt.call' op incorrect number of results for callee}}
    %0 = tt.call @two(%arg0, %arg1) : (f32, i32) -> f32
    tt.return
  }
}

// -----

module {
  tt.func private @two(f32, i32) -> (i32, f32)
  tt.func @f(%arg0: i32) {
    // expected-error@below {{'tt.call' op operand type mismatch: expected operand type 'f32', but provided 'i32' for operand number 0}}
    %0:2 = tt.call @two(%arg0, %arg0) : (i32, i32) -> (i32, f32)
    tt.return
  }
}

// -----

module {
  tt.func private @two(f32, i32) -> (i32, f32)
  tt.func @f(%arg0: f32, %arg1: i32) {
    // expected-error@below {{'tt.call' op result type mismatch at index 0}}
    %0:2 = tt.call @two(%arg0, %arg1) : (f32, i32) -> (i1, f32)
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.cat %arg0, %arg0 : i1 -> tensor<128xf32>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<32xf32>, tensor<64xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%2: tensor<32xf32>, %0: tensor<64xf32>):
    // expected-error@below {{'tt.cat' op requires all operands to have the same type}}
    %1 = "tt.cat"(%2, %0) : (tensor<32xf32>, tensor<64xf32>) -> (tensor<128xf32>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: tensor<64xi1>) {
    // expected-error@below {{'tt.cat' op requires the same element type for all operands and results}}
    %0 = tt.cat %arg0, %arg0 : tensor<64xi1> -> tensor<128xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64xf32>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.cat %arg0, %arg0 : tensor<64xf32> -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'tt.clampf' op operand #0 must be floating-point or ranked tensor of floating-point values, but got 'i1'}}
    %0 = tt.clampf %arg0, %arg0, %arg0, propagateNan = all : i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (f32, tensor<8xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%2: f32, %0: tensor<8xf32>):
    // expected-error@below {{'tt.clampf' op requires the same type for all operands and results}}
    %1 = "tt.clampf"(%2, %0, %0) <{"propagateNan" = 0 : i32}> : (f32, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<8xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%0: tensor<8xf32>):
    // expected-error@below {{'tt.clampf' op result #0 must be floating-point or ranked tensor of floating-point values, but got 'i1'}}
    %1 = "tt.clampf"(%0, %0, %0) <{"propagateNan" = 0 : i32}> : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (i1)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<1xi1>>, %arg1: tensor<32xi32>, %arg2: i32) {
    // expected-error@below {{'tt.descriptor_gather' op descriptor block must be a 2D tensor, but got 'tensor<1xi1>'}}
    %0 = tt.descriptor_gather %arg0[%arg1, %arg2] : (!tt.tensordesc<tensor<1xi1>>, tensor<32xi32>, i32) -> tensor<32x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<1x64xf16>>, %arg1: tensor<32xi32>, %arg2: i32) {
    // expected-error@below {{'tt.descriptor_gather' op must have at least 256 columns for i1, but got 64}}
    %0 = tt.descriptor_gather %arg0[%arg1, %arg2] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xi1>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i32, %arg1: tensor<32xi32>) {
    // expected-error@below {{'tt.descriptor_gather' op operand #0 must be Tensor descriptor type (`::mlir::triton::TensorDescType`) in Triton IR type system, but got 'i32'}}
    %0 = tt.descriptor_gather %arg0[%arg1, %arg0] : (i32, tensor<32xi32>, i32) -> tensor<32x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<1x64xf16>>, %arg1: tensor<32xi32>, %arg2: i32) {
    // expected-error@below {{'tt.descriptor_gather' op result #0 must be ranked tensor of floating-point or integer or ptr values, but got 'i1'}}
    %0 = tt.descriptor_gather %arg0[%arg1, %arg2] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<1x64xf16>>, %arg1: tensor<32xi32>, %arg2: i32) {
    // expected-error@below {{'tt.descriptor_gather' op result tensor element type must match block ('f16'), but got 'tensor<32x64xi8>'}}
    %0 = tt.descriptor_gather %arg0[%arg1, %arg2] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xi8>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<1x64xf16>>, %arg1: tensor<64xi32>, %arg2: i32) {
    // expected-error@below {{'tt.descriptor_gather' op result tensor must have as many rows as indices (64), but got 'tensor<32x64xf16>'}}
    %0 = tt.descriptor_gather %arg0[%arg1, %arg2] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<64xi32>, i32) -> tensor<32x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<16xi1>>, %arg1: i32) {
    // expected-error@below {{'tt.descriptor_load' op descriptor block and tensor element types must match, but got descriptor element type 'i1' and tensor element type 'f16'}}
    %0 = tt.descriptor_load %arg0[%arg1, %arg1] cacheModifier = ca evictionPolicy = evict_first : !tt.tensordesc<tensor<16xi1>> -> tensor<16x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<16x64xf16>>, %arg1: i32) {
    // expected-error@below {{'tt.descriptor_load' op descriptor block and tensor must have the same number of elements, but got descriptor block with 1024 elements tensor with 512 elements}}
    %0 = tt.descriptor_load %arg0[%arg1, %arg1] cacheModifier = ca evictionPolicy = evict_first : !tt.tensordesc<tensor<16x64xf16>> -> tensor<8x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i32) {
    // expected-error@below {{'tt.descriptor_load' op operand #0 must be Tensor descriptor type (`::mlir::triton::TensorDescType`) in Triton IR type system, but got 'i32'}}
    %0 = tt.descriptor_load %arg0[%arg0] cacheModifier = ca evictionPolicy = evict_first : i32 -> tensor<16x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<16x64xf16>>, %arg1: i32) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.descriptor_load %arg0[%arg1, %arg1] cacheModifier = ca evictionPolicy = evict_first : !tt.tensordesc<tensor<16x64xf16>> -> i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.tensordesc<tensor<16x64xf16>>, f4E2M1FN) -> (), sym_name = "f"}> ({
  ^bb0(%0: !tt.tensordesc<tensor<16x64xf16>>, %1: f4E2M1FN):
    // expected-error@below {{unexpected decimal integer literal for a floating point value}}
    %2 = "tt.descriptor_load"(%0, %1, %1) <{"cache" = 2 : f4E2M1FN, "evict" = 2 : f4E2M1FN}> : (!tt.tensordesc<tensor<16x64xf16>>, f4E2M1FN, f4E2M1FN) -> (tensor<16x64xf16>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<16xi1>>, %arg1: tensor<16x64xf16>, %arg2: i32) {
    // expected-error@below {{'tt.descriptor_reduce' op descriptor block and tensor element types must match, but got descriptor element type 'i1' and tensor element type 'f16'}}
    tt.descriptor_reduce min, %arg0[%arg2, %arg2], %arg1 : !tt.tensordesc<tensor<16xi1>>, tensor<16x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<16x64xf16>>, %arg1: tensor<8x64xf16>, %arg2: i32) {
    // expected-error@below {{'tt.descriptor_reduce' op descriptor block and tensor must have the same number of elements, but got descriptor block with 1024 elements tensor with 512 elements}}
    tt.descriptor_reduce min, %arg0[%arg2, %arg2], %arg1 : !tt.tensordesc<tensor<16x64xf16>>, tensor<8x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<16x64xf16>, %arg1: i32) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i32'}}
    tt.descriptor_reduce min, %arg0[%arg1], %arg1 : tensor<16x64xf16>, i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<1xi1>>, %arg1: tensor<32xi32>, %arg2: i32, %arg3: tensor<32x64xf16>) {
    // expected-error@below {{'tt.descriptor_scatter' op descriptor block must be a 2D tensor, but got 'tensor<1xi1>'}}
    tt.descriptor_scatter %arg0[%arg1, %arg2], %arg3 : !tt.tensordesc<tensor<1xi1>>, tensor<32xi32>, i32, tensor<32x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<1x64xf16>>, %arg1: tensor<32xi32>, %arg2: i32, %arg3: tensor<32x64xi1>) {
    // expected-error@below {{'tt.descriptor_scatter' op must have at least 256 columns for i1, but got 64}}
    tt.descriptor_scatter %arg0[%arg1, %arg2], %arg3 : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32, tensor<32x64xi1>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i32, %arg1: tensor<32xi32>, %arg2: tensor<32x64xf16>) {
    // expected-error@below {{'tt.descriptor_scatter' op operand #0 must be Tensor descriptor type (`::mlir::triton::TensorDescType`) in Triton IR type system, but got 'i32'}}
    tt.descriptor_scatter %arg0[%arg1, %arg0], %arg2 : i32, tensor<32xi32>, i32, tensor<32x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<1x64xf16>>, %arg1: tensor<32xi32>, %arg2: i32, %arg3: tensor<32x64xi8>) {
    // expected-error@below {{'tt.descriptor_scatter' op result tensor element type must match block ('f16'), but got 'tensor<32x64xi8>'}}
    tt.descriptor_scatter %arg0[%arg1, %arg2], %arg3 : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32, tensor<32x64xi8>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<1x64xf16>>, %arg1: tensor<64xi32>, %arg2: i32, %arg3: tensor<32x64xf16>) {
    // expected-error@below {{'tt.descriptor_scatter' op result tensor must have as many rows as indices (64), but got 'tensor<32x64xf16>'}}
    tt.descriptor_scatter %arg0[%arg1, %arg2], %arg3 : !tt.tensordesc<tensor<1x64xf16>>, tensor<64xi32>, i32, tensor<32x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<16xi1>>, %arg1: tensor<16x64xf16>, %arg2: i32) {
    // expected-error@below {{'tt.descriptor_store' op descriptor block and tensor element types must match, but got descriptor element type 'i1' and tensor element type 'f16'}}
    tt.descriptor_store %arg0[%arg2, %arg2], %arg1 : !tt.tensordesc<tensor<16xi1>>, tensor<16x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.tensordesc<tensor<16x64xf16>>, %arg1: tensor<8x64xf16>, %arg2: i32) {
    // expected-error@below {{'tt.descriptor_store' op descriptor block and tensor must have the same number of elements, but got descriptor block with 1024 elements tensor with 512 elements}}
    tt.descriptor_store %arg0[%arg2, %arg2], %arg1 : !tt.tensordesc<tensor<16x64xf16>>, tensor<8x64xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<16x64xf16>, %arg1: i32) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i32'}}
    tt.descriptor_store %arg0[%arg1], %arg1 : tensor<16x64xf16>, i32
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<128x64xf8E4M3FN>, tensor<32x128xi8>, tensor<128x128xf32>, tensor<128x2xi8>) -> (), sym_name = "f"}> ({
  ^bb0(%0: tensor<128x64xf8E4M3FN>, %1: tensor<32x128xi8>, %2: tensor<128x128xf32>, %3: tensor<128x2xi8>):
    // expected-error@below {{'tt.dot_scaled' op 'operandSegmentSizes' attribute cannot have negative elements}}
    %4 = "tt.dot_scaled"(%0, %1, %2, %3) <{"a_elem_type" = 0 : i32, "b_elem_type" = 4 : i32, "fastMath" = true, "lhs_k_pack" = true, "operandSegmentSizes" = array<i32: -1, 1, 1, 0, 1>, "rhs_k_pack" = true}> : (tensor<128x64xf8E4M3FN>, tensor<32x128xi8>, tensor<128x128xf32>, tensor<128x2xi8>) -> (tensor<128x128xf32>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: tensor<64xf8E4M3FN>, %arg1: tensor<64x128xf8E4M3FN>, %arg2: tensor<128x128xf32>, %arg3: tensor<128x2xi8>) {
    // expected-error@below {{'tt.dot_scaled' op expected operands to be 2d or 3d}}
    %0 = tt.dot_scaled %arg0 scale %arg3, %arg1 scale %arg3, %arg2 lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<64xf8E4M3FN>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN>, tensor<128x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<32x128xi8>, %arg1: tensor<128x128xf32>, %arg2: tensor<128x2xi8>) {
    // expected-error@below {{'tt.dot_scaled' op expected the last dimension of the first operand to be equal to the second-to-last dimension of the second operand}}
    %0 = tt.dot_scaled %arg0, %arg0 scale %arg2, %arg1 lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<32x128xi8> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<256x64xf8E4M3FN>, %arg1: tensor<32x128xi8>, %arg2: tensor<128x128xf32>, %arg3: tensor<128x2xi8>) {
    // expected-error@below {{'tt.dot_scaled' op expected the output shape to be the concatenation of the last dimension of the first operand and the last dimension of the second }}
    %0 = tt.dot_scaled %arg0, %arg1 scale %arg3, %arg2 lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<256x64xf8E4M3FN> * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<128x64xf8E4M3FN>, tensor<32x128xi8>, tensor<64x128xf32>, tensor<128x2xi8>) -> (), sym_name = "f"}> ({
  ^bb0(%0: tensor<128x64xf8E4M3FN>, %1: tensor<32x128xi8>, %2: tensor<64x128xf32>, %3: tensor<128x2xi8>):
    // expected-error@below {{'tt.dot_scaled' op failed to verify that result's type matches accumulator's type}}
    %4 = "tt.dot_scaled"(%0, %1, %2, %3) <{"a_elem_type" = 0 : i32, "b_elem_type" = 4 : i32, "fastMath" = true, "lhs_k_pack" = true, "operandSegmentSizes" = array<i32: 1, 1, 1, 0, 1>, "rhs_k_pack" = true}> : (tensor<128x64xf8E4M3FN>, tensor<32x128xi8>, tensor<64x128xf32>, tensor<128x2xi8>) -> (tensor<128x128xf32>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: i1, %arg1: tensor<32x128xi8>, %arg2: tensor<128x128xf32>, %arg3: tensor<128x2xi8>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.dot_scaled %arg0, %arg1 scale %arg3, %arg2 lhs = e4m3 rhs = e2m1 {fastMath = true} : i1 * tensor<32x128xi8>, tensor<128x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<128x64xf8E4M3FN>, tensor<32x128xi8>, tensor<128x128xf32>, tensor<128x2xi8>) -> (), sym_name = "f"}> ({
  ^bb0(%0: tensor<128x64xf8E4M3FN>, %1: tensor<32x128xi8>, %2: tensor<128x128xf32>, %3: tensor<128x2xi8>):
    // expected-error@below {{'tt.dot_scaled' op result #0 must be ranked tensor of floating-point values, but got 'i1'}}
    %4 = "tt.dot_scaled"(%0, %1, %2, %3) <{"a_elem_type" = 0 : i32, "b_elem_type" = 4 : i32, "fastMath" = true, "lhs_k_pack" = true, "operandSegmentSizes" = array<i32: 1, 1, 1, 0, 1>, "rhs_k_pack" = true}> : (tensor<128x64xf8E4M3FN>, tensor<32x128xi8>, tensor<128x128xf32>, tensor<128x2xi8>) -> (i1)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: tensor<128x64xf8E4M3FN>, %arg1: tensor<64x128xf8E4M3FN>, %arg2: tensor<128x128xf32>, %arg3: tensor<128x1xi8>) {
    // expected-error@below {{'tt.dot_scaled' op scales K dimension must match the operand K divided by the scale factor}}
    %0 = tt.dot_scaled %arg0 scale %arg3, %arg1 scale %arg3, %arg2 lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<128x1xi8> * tensor<64x128xf8E4M3FN>, tensor<128x1xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<128x64xf8E4M3FN>, %arg1: tensor<64x128xf8E4M3FN>, %arg2: tensor<128x128xf32>, %arg3: tensor<64x2xi8>, %arg4: tensor<128x2xi8>) {
    // expected-error@below {{'tt.dot_scaled' op scales M dimension must match the operand M dimension}}
    %0 = tt.dot_scaled %arg0 scale %arg3, %arg1 scale %arg4, %arg2 lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xf8E4M3FN>, tensor<64x2xi8> * tensor<64x128xf8E4M3FN>, tensor<128x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<128x64xf8E4M3FN>, %arg1: tensor<32x128xi8>, %arg2: tensor<128x128xf32>, %arg3: tensor<64x2xi8>) {
    // expected-error@below {{'tt.dot_scaled' op scales N dimension must match the operand N dimension}}
    %0 = tt.dot_scaled %arg0, %arg1 scale %arg3, %arg2 lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<128x64xf8E4M3FN> * tensor<32x128xi8>, tensor<64x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<4xi32>) {
    // expected-error@below {{'tt.elementwise_inline_asm' op all non-scalar operands/results must have the same shape and base type}}
    %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %arg0 : tensor<4xi32> -> tensor<8xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'tt.elementwise_inline_asm' op if a result is non-scalar, then at least one operand must be non-scalar}}
    %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} -> tensor<8xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xi32>) {
    // expected-error@below {{'tt.elementwise_inline_asm' op if an operand is non-scalar, then all results must be non-scalar}}
    %0:2 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %arg0 : tensor<8xi32> -> tensor<8xi32>, i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xi32>) {
    // expected-error@below {{'tt.elementwise_inline_asm' op if an operand is non-scalar, then there must be at least one non-scalar result}}
    tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %arg0 : tensor<8xi32> -> 
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xi32>) {
    // expected-error@below {{'tt.elementwise_inline_asm' op number of input elements 8 must be a multiple of the op's packed_element attribute, 4294967295}}
    %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = -1 : i32, pure = true} %arg0 : tensor<8xi32> -> tensor<8xi32>
    tt.return
  }
}

// -----

#mma = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1]]}}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<128xi32>) {
    // expected-error@below {{inferred type(s) 'tensor<1x128xi32>' are incompatible with return type(s) of operation 'tensor<1x128xi32, #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1]]}}>>'}}
    %0 = tt.expand_dims %arg0 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32, #mma>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.expand_dims %arg0 {axis = 1 : i32} : i1 -> tensor<128x1xi64, #blocked>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<128xi64, #ttg.slice<{dim = 1, parent = #blocked}>>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.expand_dims %arg0 {axis = 1 : i32} : tensor<128xi64, #ttg.slice<{dim = 1, parent = #blocked}>> -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<4xf32>) {
    // expected-error@below {{'tt.extern_elementwise' op all non-scalar operands/results must have the same shape and base type}}
    %0 = tt.extern_elementwise %arg0 {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<4xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'tt.extern_elementwise' op if a result is non-scalar, then at least one operand must be non-scalar}}
    %0 = tt.extern_elementwise  {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : () -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xf32>) {
    // expected-error@below {{'tt.extern_elementwise' op if an operand is non-scalar, then there must be at least one non-scalar result}}
    %0 = tt.extern_elementwise %arg0 {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<8xf32>) -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xf32>) {
    // expected-error@below {{'tt.fp_to_fp' op Rounding mode is required for FP downcast}}
    %0 = tt.fp_to_fp %arg0 : tensor<8xf32> -> tensor<8xf16>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'tt.fp_to_fp' op operand #0 must be floating-point or ranked tensor of floating-point values, but got 'i1'}}
    %0 = tt.fp_to_fp %arg0, rounding = rtne : i1 -> tensor<8xf8E5M2>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xf32>) {
    // expected-error@below {{'tt.fp_to_fp' op result #0 must be floating-point or ranked tensor of floating-point values, but got 'i1'}}
    %0 = tt.fp_to_fp %arg0, rounding = rtne : tensor<8xf32> -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64xf32>, %arg1: tensor<64xi32>) {
    // expected-error@below {{'tt.gather' op gather dimension must be less than the input rank}}
    %0 = tt.gather %arg0[%arg1] {axis = 1 : i32, efficient_layout} : (tensor<64xf32>, tensor<64xi32>) -> tensor<64xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64xf32>, %arg1: tensor<32xi32>) {
    // expected-error@below {{'tt.gather' op indices and output shapes must match}}
    %0 = tt.gather %arg0[%arg1] {axis = 0 : i32, efficient_layout} : (tensor<64xf32>, tensor<32xi32>) -> tensor<64xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64xi32>) {
    // expected-error@below {{'tt.gather' op input and output element types must match}}
    %0 = tt.gather %arg0[%arg0] {axis = 0 : i32, efficient_layout} : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1, %arg1: tensor<64xi32>) {
    // expected-error@below {{'tt.gather' op operand #0 must be ranked tensor of floating-point or integer or ptr values, but got 'i1'}}
    %0 = tt.gather %arg0[%arg1] {axis = 0 : i32, efficient_layout} : (i1, tensor<64xi32>) -> tensor<64xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64xf32>, %arg1: tensor<64xi32>) {
    // expected-error@below {{'tt.gather' op result #0 must be ranked tensor of floating-point or integer or ptr values, but got 'i1'}}
    %0 = tt.gather %arg0[%arg1] {axis = 0 : i32, efficient_layout} : (tensor<64xf32>, tensor<64xi32>) -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'tt.get_num_programs' op result #0 must be 32-bit signless integer, but got 'i1'}}
    %0 = tt.get_num_programs y : i1
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'tt.get_program_id' op result #0 must be 32-bit signless integer, but got '!tt.ptr<f32>'}}
    %0 = tt.get_program_id y : !tt.ptr<f32>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "f"}> ({
    // expected-error@below {{unexpected decimal integer literal for a floating point value}}
    %0 = "tt.get_program_id"() <{"axis" = 0 : f8E5M2}> : () -> (f8E5M2)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.histogram %arg0 : i1 -> tensor<16xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64xi32>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.histogram %arg0 : tensor<64xi32> -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'tt.int_to_ptr' op operand #0 must be 64-bit signless integer or tensor of 64-bit signless integer values, but got 'i1'}}
    %0 = tt.int_to_ptr %arg0 : i1 -> !tt.ptr<f32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64xi64>) {
    // expected-error@below {{'tt.int_to_ptr' op result #0 must be ptr or ranked tensor of ptr values, but got 'i1'}}
    %0 = tt.int_to_ptr %arg0 : tensor<64xi64> -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.join %arg0, %arg0 : i1 -> tensor<64x2xf32>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<64xi1>, tensor<64xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%2: tensor<64xi1>, %0: tensor<64xf32>):
    // expected-error@below {{'tt.join' op requires all operands to have the same type}}
    %1 = "tt.join"(%2, %0) : (tensor<64xi1>, tensor<64xf32>) -> (tensor<64x2xf32>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: tensor<64xi1>) {
    // expected-error@below {{'tt.join' op result element type must match the input element type}}
    %0 = tt.join %arg0, %arg0 : tensor<64xi1> -> tensor<64x2xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64xf32>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.join %arg0, %arg0 : tensor<64xf32> -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<32xf32>) {
    // expected-error@below {{'tt.join' op result shape must be (32, 2), but got 64, 2}}
    %0 = tt.join %arg0, %arg0 : tensor<32xf32> -> tensor<64x2xf32>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<64x128x!tt.ptr<f16>>) -> (), sym_name = "f"}> ({
  ^bb0(%0: tensor<64x128x!tt.ptr<f16>>):
    // expected-error@below {{'tt.load' op failed to verify that result matches ptr type}}
    %1 = "tt.load"(%0) <{"boundaryCheck" = array<i32>, "cache" = 1 : i32, "evict" = 1 : i32, "isVolatile" = false, "operandSegmentSizes" = array<i32: 1, 0, 0>}> : (tensor<64x128x!tt.ptr<f16>>) -> (tensor<64x128xf16, #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 8], order = [0, 1]}>>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.target" = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<1xi32>) -> (), sym_name = "f"}> ({
  ^bb0(%0: tensor<1xi32>):
    // expected-error@below {{'tt.load' op operand #0 must be ptr or ranked tensor of ptr values or ptr, but got 'tensor<1xi32>'}}
    %1 = "tt.load"(%0) <{"boundaryCheck" = array<i32>, "cache" = 1 : i32, "evict" = 1 : i32, "isVolatile" = false, "operandSegmentSizes" = array<i32: 1, 0, 0>}> : (tensor<1xi32>) -> (tensor<128x128xbf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [8, 1], order = [1, 0]}>>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, "ttg.target" = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "f"}> ({
    // expected-error@below {{elements literal must be a shaped type}}
    %0 = "tt.make_range"() <{"end" = 64 : i32, "start" = 0 : i32}> {"tt.contiguity" = dense<64> : i1} : () -> (tensor<64xi32>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f() {
    // expected-error@below {{'tt.make_range' op number of elements in returned tensor, 32, must match size of range [0, 64), which has 64 elements}}
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32, tt.contiguity = dense<64> : tensor<1xi32>} : tensor<32xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i32'}}
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32, tt.contiguity = dense<64> : tensor<1xi32>} : i32
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f() {
    // expected-error@below {{'tt.make_range' op returned tensor must have i32 elements}}
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi1, #ttg.slice<{dim = 0, parent = #blocked}>>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f() {
    // expected-error@below {{'tt.make_range' op start must be less than end}}
    %0 = tt.make_range {end = 0 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i32, %arg1: i64) {
    // expected-error@below {{'tt.make_tensor_descriptor' op operand #0 must be ptr, but got 'i32'}}
    %0 = tt.make_tensor_descriptor %arg0, [%arg0, %arg0], [%arg1, %arg1] {padding = 2 : i32} : i32, <tensor<16x64xf16>>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.ptr<f16>, %arg1: i32, %arg2: i64) {
    // expected-error@below {{'tt.make_tensor_descriptor' op result #0 must be Tensor descriptor type (`::mlir::triton::TensorDescType`) in Triton IR type system, but got 'i1'}}
    %0 = tt.make_tensor_descriptor %arg0, [%arg1, %arg1], [%arg2, %arg2] {padding = 2 : i32} : <f16>, i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<f32>, i64, i32) -> (), sym_name = "f"}> ({
  ^bb0(%0: !tt.ptr<f32>, %1: i64, %2: i32):
    // expected-error@below {{'tt.make_tensor_ptr' op failed to verify that infer pointer type from the result type}}
    %3 = "tt.make_tensor_ptr"(%0, %1, %1, %1, %1, %2, %2) <{"order" = array<i32: 1, 0>}> : (!tt.ptr<f32>, i64, i64, i64, i64, i32, i32) -> (!tt.ptr<tensor<16xi1>>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i64, i32) -> (), sym_name = "f"}> ({
  ^bb0(%1: i64, %2: i32):
    // expected-error@below {{'tt.make_tensor_ptr' op operand #0 must be ptr, but got 'i64'}}
    %3 = "tt.make_tensor_ptr"(%1, %1, %1, %1, %1, %2, %2) <{"order" = array<i32: 1, 0>}> : (i64, i64, i64, i64, i64, i32, i32) -> (!tt.ptr<tensor<16x32xf32>>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<f32>, i64, i32) -> (), sym_name = "f"}> ({
  ^bb0(%0: !tt.ptr<f32>, %1: i64, %2: i32):
    // expected-error@below {{'tt.make_tensor_ptr' op result #0 must be ptr, but got 'i1'}}
    %3 = "tt.make_tensor_ptr"(%0, %1, %1, %1, %1, %2, %2) <{"order" = array<i32: 1, 0>}> : (!tt.ptr<f32>, i64, i64, i64, i64, i32, i32) -> (i1)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: tensor<8xf32>) {
    // expected-error@below {{'tt.map_elementwise' op Pack must be a power of 2}}
    %0 = "tt.map_elementwise"(%arg0) <{pack = 0 : i32}> ({
    ^bb0(%arg1: f32):
      tt.map_elementwise.return %arg1 : f32
    }) : (tensor<8xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xi1>) {
    // expected-error@below {{'tt.map_elementwise' op argument types did not match}}
    %0 = "tt.map_elementwise"(%arg0) <{pack = 1 : i32}> ({
    ^bb0(%arg1: f32):
      tt.map_elementwise.return %arg1 : f32
    }) : (tensor<8xi1>) -> tensor<8xi1>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xf32>) {
    %0 = "tt.map_elementwise"(%arg0) <{pack = 1 : i32}> ({
    ^bb0(%arg1: f32):
      // expected-error@below {{'tt.return' op expects parent op 'tt.func'}}
      tt.return %arg1 : f32
    }) : (tensor<8xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xf32>) {
    %0 = "tt.map_elementwise"(%arg0) <{pack = 1 : i32}> ({
    ^bb0(%arg1: f32):
      // expected-error@below {{'scf.yield' op expects parent op to be one of 'scf.execute_region', 'scf.for', 'scf.if', 'scf.while'}}
      scf.yield %arg1 : f32
    }) : (tensor<8xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'tt.map_elementwise' op operand #0 must be variadic of ranked tensor of floating-point or integer or ptr values, but got 'i1'}}
    %0 = "tt.map_elementwise"(%arg0) <{pack = 1 : i32}> ({
    ^bb0(%arg1: f32):
      tt.map_elementwise.return %arg1 : f32
    }) : (i1) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xf32>) {
    // expected-error@below {{'tt.map_elementwise' op region has wrong number of arguments}}
    %0 = "tt.map_elementwise"(%arg0) <{pack = 1 : i32}> ({
    ^bb0(%arg1: f32, %arg2: i32):
      tt.map_elementwise.return %arg1 : f32
    }) : (tensor<8xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xf32>) {
    %0 = "tt.map_elementwise"(%arg0) <{pack = 1 : i32}> ({
    ^bb0(%arg1: f32):
      // expected-error@below {{'tt.map_elementwise.return' op region return does not match map_elementwise result}}
      tt.map_elementwise.return
    }) : (tensor<8xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<4xf32>) {
    // expected-error@below {{'tt.map_elementwise' op requires the same shape for all operands and results}}
    %0 = "tt.map_elementwise"(%arg0) <{pack = 1 : i32}> ({
    ^bb0(%arg1: f32):
      tt.map_elementwise.return %arg1 : f32
    }) : (tensor<4xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xf32>) {
    // expected-error@below {{'tt.map_elementwise' op result #0 must be variadic of ranked tensor of floating-point or integer or ptr values, but got 'i1'}}
    %0 = "tt.map_elementwise"(%arg0) <{pack = 1 : i32}> ({
    ^bb0(%arg1: f32):
      tt.map_elementwise.return %arg1 : f32
    }) : (tensor<8xf32>) -> i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i1) -> (), sym_name = "f"}> ({
  ^bb0(%0: i1):
    // expected-error@below {{'tt.mulhiui' op requires the same type for all operands and results}}
    %1 = "tt.mulhiui"(%0, %0) : (i1, i1) -> (i32)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'tt.precise_divf' op operand #0 must be floating-point or ranked tensor of floating-point values, but got 'i1'}}
    %0 = tt.precise_divf %arg0, %arg0 : i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
  ^bb0(%0: f32):
    // expected-error@below {{'tt.precise_divf' op result #0 must be floating-point or ranked tensor of floating-point values, but got 'i1'}}
    %1 = "tt.precise_divf"(%0, %0) : (f32, f32) -> (i1)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'tt.precise_sqrt' op operand #0 must be floating-point or ranked tensor of floating-point values, but got 'i1'}}
    %0 = tt.precise_sqrt %arg0 : i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
  ^bb0(%0: f32):
    // expected-error@below {{'tt.precise_sqrt' op result #0 must be floating-point or ranked tensor of floating-point values, but got 'i1'}}
    %1 = "tt.precise_sqrt"(%0) : (f32) -> (i1)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: i8) {
    // expected-error@below {{'tt.ptr_to_int' op operand #0 must be ptr or ranked tensor of ptr values, but got 'i8'}}
    %0 = tt.ptr_to_int %arg0 : i8 -> i64
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: !tt.ptr<f32>) {
    // expected-error@below {{'tt.ptr_to_int' op result #0 must be 64-bit signless integer or tensor of 64-bit signless integer values, but got '!tt.ptr<i32>'}}
    %0 = tt.ptr_to_int %arg0 : !tt.ptr<f32> -> !tt.ptr<i32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>) {
    // expected-error@below {{'tt.reduce' op expected combine operation to return 1 values but got 0}}
    %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = arith.addf %arg1, %arg2 : f32
      tt.reduce.return  : 
    }) : (tensor<8x4xf32>) -> tensor<8xf32>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 32], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%arg0: tensor<16x256xf32>) {
    // expected-error@below {{inferred type(s) 'tensor<16xf32>' are incompatible with return type(s) of operation 'tensor<16xf32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 32], warpsPerCTA = [8, 1], order = [1, 0]}>}>>'}}
    %0 = "tt.reduce"(%arg0) <{axis = 1 : i32}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = arith.addf %arg1, %arg2 : f32
      tt.reduce.return %1 : f32
    }) : (tensor<16x256xf32>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xi32>) {
    // expected-error@below {{inferred type(s) 'tensor<4xf32>', 'tensor<4xi32>' are incompatible with return type(s) of operation 'tensor<4xf32>', 'i32'}}
    %0:2 = "tt.reduce"(%arg0, %arg1) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: i32, %arg4: f32, %arg5: i32):
      tt.reduce.return %arg2, %arg5 : f32, i32
    }) : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<4xf32>, i32)
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>) {
    // expected-error@below {{'tt.reduce' op must have the same number of inputs as outputs}}
    %0:2 = "tt.reduce"(%arg0) <{axis = 0 : i32}> ({
    ^bb0(%arg1: f32, %arg2: i32, %arg3: f32, %arg4: i32):
      tt.reduce.return %arg1, %arg4 : f32, i32
    }) : (tensor<8x4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xi32>) {
    // expected-error@below {{'tt.reduce' op nested block must take 4 arguments, but given block with 3 arguments}}
    %0:2 = "tt.reduce"(%arg0, %arg1) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: f32, %arg4: i32):
      tt.reduce.return %arg2, %arg4 : f32, i32
    }) : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>, %arg1: i1) {
    // expected-error@below {{'tt.reduce' op operand #1 must be variadic of ranked tensor of floating-point or integer or ptr values, but got 'i1'}}
    %0:2 = "tt.reduce"(%arg0, %arg1) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: i32, %arg4: f32, %arg5: i32):
      tt.reduce.return %arg2, %arg5 : f32, i32
    }) : (tensor<8x4xf32>, i1) -> (tensor<4xf32>, tensor<4xi32>)
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xi32>) {
    // expected-error@below {{'tt.reduce' op operand types and result types must agree}}
    %0:2 = "tt.reduce"(%arg0, %arg0) <{axis = 0 : i32}> ({
    ^bb0(%arg1: f32, %arg2: i32, %arg3: f32, %arg4: i32):
      tt.reduce.return %arg1, %arg4 : f32, i32
    }) : (tensor<8x4xi32>, tensor<8x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<4x4xi32>) {
    // expected-error@below {{'tt.reduce' op requires the same shape for all operands}}
    %0:2 = "tt.reduce"(%arg0, %arg1) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: i32, %arg4: f32, %arg5: i32):
      tt.reduce.return %arg2, %arg5 : f32, i32
    }) : (tensor<8x4xf32>, tensor<4x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xi32>) {
    // expected-error@below {{'tt.reduce' op type mismatch on combine operation. Expected argument 3 to have type 'i32' but got 'i1'}}
    %0:2 = "tt.reduce"(%arg0, %arg1) <{axis = 0 : i32}> ({
    ^bb0(%arg2: f32, %arg3: i32, %arg4: f32, %arg5: i1):
      tt.reduce.return %arg2, %arg5 : f32, i1
    }) : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.reshape %arg0 : i1 -> tensor<4x4x4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<64xf32>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.reshape %arg0 : tensor<64xf32> -> i1
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i32) {
    // expected-error@below {{'tt.return' op has 1 operands, but enclosing function (@f) returns 0}}
    tt.return %arg0 : i32
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>) {
    // expected-error@below {{'tt.scan' op axis out of bounds for operand rank 2}}
    %0 = "tt.scan"(%arg0) <{axis = -1 : i32, reverse = true}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = arith.maxnumf %arg1, %arg2 : f32
      tt.scan.return %1 : f32
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>) {
    // expected-error@below {{'tt.scan' op expected combine operation to return 1 values but got 0}}
    %0 = "tt.scan"(%arg0) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = arith.maxnumf %arg1, %arg2 : f32
      tt.scan.return  : 
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>) {
    // expected-error@below {{'tt.scan' op must have the same number of inputs as outputs}}
    %0 = "tt.scan"(%arg0, %arg0) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = arith.maxnumf %arg1, %arg2 : f32
      tt.scan.return %1 : f32
    }) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>) {
    // expected-error@below {{'tt.scan' op nested block must take 2 arguments, but given block with 3 arguments}}
    %0 = "tt.scan"(%arg0) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: i32):
      %1 = arith.maxnumf %arg1, %arg2 : f32
      tt.scan.return %1 : f32
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{'tt.scan' op operand #0 must be variadic of ranked tensor of floating-point or integer or ptr values, but got 'i1'}}
    %0 = "tt.scan"(%arg0) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = arith.maxnumf %arg1, %arg2 : f32
      tt.scan.return %1 : f32
    }) : (i1) -> tensor<8x4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xi1>) {
    // expected-error@below {{'tt.scan' op operand types and result types must agree}}
    %0 = "tt.scan"(%arg0) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = arith.maxnumf %arg1, %arg2 : f32
      tt.scan.return %1 : f32
    }) : (tensor<8x4xi1>) -> tensor<8x4xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xf32>) {
    // expected-error@below {{'tt.scan' op result #0 must be variadic of ranked tensor of floating-point or integer or ptr values, but got 'i1'}}
    %0 = "tt.scan"(%arg0) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = arith.maxnumf %arg1, %arg2 : f32
      tt.scan.return %1 : f32
    }) : (tensor<8x4xf32>) -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x4xi1>) {
    // expected-error@below {{'tt.scan' op type mismatch on combine operation. Expected argument 0 to have type 'i1' but got 'f32'}}
    %0 = "tt.scan"(%arg0) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg1: f32, %arg2: f32):
      %1 = arith.maxnumf %arg1, %arg2 : f32
      tt.scan.return %1 : f32
    }) : (tensor<8x4xi1>) -> tensor<8x4xi1>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 8], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%arg0: i128) {
    // expected-error@below {{'tt.splat' op operand #0 must be floating-point or ranked tensor of floating-point values or integer or ranked tensor of integer values or ptr or ranked tensor of ptr values or ptr, but got 'i128'}}
    %0 = tt.splat %arg0 : i128 -> tensor<1x128x!tt.ptr<f16>, #blocked>
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: i64) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'vector<4xf32>'}}
    %0 = tt.splat %arg0 : i64 -> vector<4xf32>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<8x2xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%0: tensor<8x2xf32>):
    // expected-error@below {{'tt.split' op failed to verify that outLHS and outRHS types match}}
    %1, %2 = "tt.split"(%0) : (tensor<8x2xf32>) -> (tensor<8xi1>, tensor<8xf32>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: tensor<8x2xi1>) {
    // expected-error@below {{inferred type(s) 'tensor<8xi1>', 'tensor<8xi1>' are incompatible with return type(s) of operation 'tensor<8xf32>', 'tensor<8xf32>'}}
    %outLHS, %outRHS = tt.split %arg0 : tensor<8x2xi1> -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %outLHS, %outRHS = tt.split %arg0 : i1 -> tensor<8xf32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8x2xf32>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %outLHS, %outRHS = tt.split %arg0 : tensor<8x2xf32> -> i1
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<64x!tt.ptr<f32>>, tensor<64xi1>) -> (), sym_name = "f"}> ({
  ^bb0(%0: tensor<64x!tt.ptr<f32>>, %2: tensor<64xi1>):
    // expected-error@below {{'tt.store' op failed to verify that value type matches ptr type}}
    "tt.store"(%0, %2, %2) <{"boundaryCheck" = array<i32>, "cache" = 6 : i32, "evict" = 3 : i32}> : (tensor<64x!tt.ptr<f32>>, tensor<64xi1>, tensor<64xi1>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (memref<4xf32>, tensor<64xf32>, tensor<64xi1>) -> (), sym_name = "f"}> ({
  ^bb0(%0: memref<4xf32>, %1: tensor<64xf32>, %2: tensor<64xi1>):
    // expected-error@below {{'tt.store' op operand #0 must be ptr or ranked tensor of ptr values or ptr, but got 'memref<4xf32>'}}
    "tt.store"(%0, %1, %2) <{"boundaryCheck" = array<i32>, "cache" = 6 : i32, "evict" = 3 : i32}> : (memref<4xf32>, tensor<64xf32>, tensor<64xi1>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

#mma = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [0, 2], [1, 0]]}}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<128x64xf16>) {
    // expected-error@below {{inferred type(s) 'tensor<64x128xf16>' are incompatible with return type(s) of operation 'tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [0, 2], [1, 0]]}}>, kWidth = 8}>>'}}
    %0 = tt.trans %arg0 {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>>
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.trans %arg0 {order = array<i32: 2, 0, 1>} : i1 -> tensor<4x4x4xf32>
    tt.return
  }
}

// -----

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx1201", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<128x64xf16, #blocked>) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found '!tt.ptr<f32>'}}
    %0 = tt.trans %arg0 {order = array<i32: 1, 0>} : tensor<128x64xf16, #blocked> -> !tt.ptr<f32>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<1x1xi1>) -> (), sym_name = "f"}> ({
  ^bb0(%0: tensor<1x1xi1>):
    // expected-error@below {{inferred type(s) 'i1' are incompatible with return type(s) of operation 'f32'}}
    %1 = "tt.unsplat"(%0) : (tensor<1x1xi1>) -> (f32)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

module {
  tt.func @f(%arg0: i1) {
    // expected-error@below {{invalid kind of type specified: expected builtin.tensor, but found 'i1'}}
    %0 = tt.unsplat %arg0 : i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<2x1xf32>) {
    // expected-error@below {{'tt.unsplat' op source tensor must have exactly one element}}
    %0 = tt.unsplat %arg0 : tensor<2x1xf32>
    tt.return
  }
}

// -----

module {
  // expected-error@below {{'tt.func' op arguments may only have dialect attributes}}
  tt.func @f(%a: i32 {foo = 1 : i32}) {
    tt.return
  }
}

// -----

module {
  // expected-error@below {{'tt.func' op results may only have dialect attributes}}
  tt.func @f(%a: i32) -> (i32 {foo = 1 : i32}) {
    tt.return %a : i32
  }
}

// -----

// expected-error@below {{'builtin.module' op can only contain attributes with dialect-prefixed names, found: 'foo'}}
module attributes {foo = 1 : i32} {
}
