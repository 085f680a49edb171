// RUN: weft opt %s --split-input-file --verify-diagnostics

module {
  tt.func @f(%f: f32) {
    // expected-error@below {{'arith.addi' op operand #0 must be signless-integer-like, but got 'f32'}}
    %r = arith.addi %f, %f : f32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: i32, %l: i64) {
    // expected-error@below {{'arith.addi' op requires the same type for all operands and results}}
    %r = "arith.addi"(%x, %l) <{overflowFlags = #arith.overflow<none>}> : (i32, i64) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{expected overflow flags to be one of: none, nsw, nuw; found nsx}}
    %r = arith.addi %x, %x overflow<nsx> : i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.addi' op attribute 'overflowFlags' expected #arith.overflow<…>, but got #arith.fastmath<none>}}
    %r = "arith.addi"(%x, %x) <{overflowFlags = #arith.fastmath<none>}> : (i32, i32) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%p: !tt.ptr<f32>) {
    // expected-error@below {{'arith.divsi' op operand #0 must be signless-integer-like, but got '!tt.ptr<f32>'}}
    %r = arith.divsi %p, %p : !tt.ptr<f32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.addf' op operand #0 must be floating-point-like, but got 'i32'}}
    %r = arith.addf %x, %x : i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%f: f32) {
    // expected-error@below {{'arith.addf' op requires the same type for all operands and results}}
    %r = "arith.addf"(%f, %f) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f16
    tt.return
  }
}

// -----

module {
  tt.func @f(%f: f32) {
    // expected-error@below {{expected fastmath flags to be one of: none, reassoc, nnan, ninf, nsz, arcp, contract, afn, fast; found fat}}
    %r = arith.addf %f, %f fastmath<fat> : f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.negf' op operand #0 must be floating-point-like, but got 'i32'}}
    %r = arith.negf %x : i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%f: f32) {
    // expected-error@below {{'arith.negf' op requires the same type for all operands and results}}
    %r = "arith.negf"(%f) <{fastmath = #arith.fastmath<none>}> : (f32) -> f16
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %l: i64) {
    // expected-error@below {{'arith.cmpi' op requires all operands to have the same type}}
    %r = "arith.cmpi"(%x, %l) <{predicate = 0 : i64}> : (i32, i64) -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.cmpi' op result #0 must be bool-like, but got 'i32'}}
    %r = "arith.cmpi"(%x, %x) <{predicate = 0 : i64}> : (i32, i32) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.cmpi' op attribute 'predicate' failed to satisfy constraint: allowed 64-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
    %r = "arith.cmpi"(%x, %x) <{predicate = 10 : i64}> : (i32, i32) -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{expected CmpIPredicate to be one of: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge; found less}}
    %r = arith.cmpi less, %x, %x : i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{expected CmpIPredicate to be one of: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge}}
    %r = arith.cmpi , %x, %x : i32
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%f: f32, %h: f16) {
    // expected-error@below {{'arith.cmpf' op requires all operands to have the same type}}
    %r = "arith.cmpf"(%f, %h) <{fastmath = #arith.fastmath<none>, predicate = 0 : i64}> : (f32, f16) -> i1
    tt.return
  }
}

// -----

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'arith.cmpf' op failed to verify that result type has i1 element type and same shape as operands}}
    %r = "arith.cmpf"(%u, %u) <{fastmath = #arith.fastmath<none>, predicate = 0 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> i1
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %l: i64, %c: i1) {
    // expected-error@below {{'arith.select' op failed to verify that all of {true_value, false_value, result} have same type}}
    %r = "arith.select"(%c, %x, %l) : (i1, i32, i64) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32, %c: i1) {
    // expected-error@below {{'arith.select' op failed to verify that all of {true_value, false_value, result} have same type}}
    %r = "arith.select"(%c, %x, %x) : (i1, i32, i32) -> i64
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.select' op operand #0 must be bool-like, but got 'i32'}}
    %r = "arith.select"(%x, %x, %x) : (i32, i32, i32) -> i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>, %m: tensor<8xi1>) {
    // expected-error@below {{'arith.select' op failed to verify that condition is signless i1 or has matching shape}}
    %r = "arith.select"(%m, %t, %t) : (tensor<8xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{'arith.constant' op failed to verify that all of {value, result} have same type}}
    %r = "arith.constant"() <{value = 1 : i32}> : () -> i64
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    %r = arith.constant "x"
    // expected-error@below {{value must be an integer, float, or elements attribute}}
    tt.return
  }
}

// -----

module {
  tt.func @f() {
    // expected-error@below {{inferred shape of elements literal ([2]) does not match type ([4])}}
    %r = arith.constant dense<[1, 2]> : tensor<4xi32>
    tt.return
  }
}

// -----

module {
  tt.func @f(%h: f16) {
    // expected-error@below {{'arith.extf' op result #0 must be floating-point-like, but got 'i32'}}
    %r = arith.extf %h : f16 to i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.extf' op operand #0 must be floating-point-like, but got 'i32'}}
    %r = arith.extf %x : i32 to f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%f: f32) {
    // expected-error@below {{'arith.extf' op operand type 'f32' and result type 'f16' are cast incompatible}}
    %r = arith.extf %f : f32 to f16
    tt.return
  }
}

// -----

module {
  tt.func @f(%u: tensor<4xf32>) {
    // expected-error@below {{'arith.extf' op failed to verify that input and output have the same tensor dimensions}}
    %r = arith.extf %u : tensor<4xf32> to f64
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.extsi' op operand type 'i32' and result type 'i16' are cast incompatible}}
    %r = arith.extsi %x : i32 to i16
    tt.return
  }
}

// -----

module {
  tt.func @f(%l: i64) {
    // expected-error@below {{'arith.extui' op operand type 'i64' and result type 'i64' are cast incompatible}}
    %r = arith.extui %l : i64 to i64
    tt.return
  }
}

// -----

module {
  tt.func @f(%f: f32) {
    // expected-error@below {{'arith.extsi' op operand #0 must be signless-fixed-width-integer-like, but got 'f32'}}
    %r = arith.extsi %f : f32 to i64
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.trunci' op operand type 'i32' and result type 'i64' are cast incompatible}}
    %r = arith.trunci %x : i32 to i64
    tt.return
  }
}

// -----

module {
  tt.func @f(%f: f32) {
    // expected-error@below {{'arith.truncf' op operand type 'f32' and result type 'f64' are cast incompatible}}
    %r = arith.truncf %f : f32 to f64
    tt.return
  }
}

// -----

module {
  tt.func @f(%f: f32) {
    // expected-error@below {{'arith.truncf' op operand type 'f32' and result type 'f32' are cast incompatible}}
    %r = arith.truncf %f : f32 to f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%f: f32) {
    // expected-error@below {{'arith.sitofp' op operand #0 must be signless-fixed-width-integer-like, but got 'f32'}}
    %r = arith.sitofp %f : f32 to f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.uitofp' op result #0 must be floating-point-like, but got 'i64'}}
    %r = arith.uitofp %x : i32 to i64
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.fptosi' op operand #0 must be floating-point-like, but got 'i32'}}
    %r = arith.fptosi %x : i32 to i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%f: f32) {
    // expected-error@below {{'arith.fptoui' op result #0 must be signless-fixed-width-integer-like, but got 'f32'}}
    %r = arith.fptoui %f : f32 to f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%t: tensor<4xi32>) {
    // expected-error@below {{'arith.bitcast' op failed to verify that input and output have the same tensor dimensions}}
    %r = arith.bitcast %t : tensor<4xi32> to f32
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{'arith.bitcast' op operand type 'i32' and result type 'f16' are cast incompatible}}
    %r = arith.bitcast %x : i32 to f16
    tt.return
  }
}

// -----

module {
  tt.func @f(%x: i32) {
    // expected-error@below {{custom op 'arith.adi' is unknown (did you mean arith.andi or arith.addi or arith.divf?)}}
    %r = arith.adi %x, %x : i32
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: tensor<8xi1>) {
    // expected-error@below {{'arith.cmpf' op operand #0 must be floating-point-like, but got 'tensor<8xi1>'}}
    %0 = arith.cmpf oeq, %arg0, %arg0 : tensor<8xi1>
    tt.return
  }
}

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<8xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%0: tensor<8xf32>):
    // expected-error@below {{'arith.cmpf' op result #0 must be bool-like, but got 'tensor<f32>'}}
    %1 = "arith.cmpf"(%0, %0) <{"fastmath" = #arith.fastmath<none>, "predicate" = 15 : i64}> : (tensor<8xf32>, tensor<8xf32>) -> (tensor<f32>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (f16, i32) -> (), sym_name = "f"}> ({
  ^bb0(%0: f16, %1: i32):
    // expected-error@below {{'arith.cmpi' op operand #0 must be signless-integer-like, but got 'f16'}}
    %2 = "arith.cmpi"(%0, %1) <{"predicate" = 4 : i64}> : (f16, i32) -> (i1)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:90", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = (i32, i32) -> (), sym_name = "f"}> ({
  ^bb0(%0: i32, %1: i32):
    // expected-error@below {{'arith.cmpi' op result #0 must be bool-like, but got 'index'}}
    %2 = "arith.cmpi"(%0, %1) <{"predicate" = 3 : i64}> : (i32, i32) -> (index)
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "f"}> ({
    // expected-error@below {{elements literal must be a shaped type}}
    %0 = "arith.constant"() <{"value" = dense<64> : i1}> : () -> (tensor<1x32xi32, #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>>)
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.target" = "cuda:90", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// -----

module {
  tt.func @f(%arg0: f32) {
    // expected-error@below {{'arith.index_cast' op operand #0 must be signless-integer-like, but got 'f32'}}
    %0 = arith.index_cast %arg0 : f32 to i64
    tt.return
  }
}

// -----

module {
  tt.func @f(%arg0: index) {
    // expected-error@below {{'arith.index_cast' op result #0 must be signless-integer-like, but got 'tensor<*xf32>'}}
    %0 = arith.index_cast %arg0 : index to tensor<*xf32>
    tt.return
  }
}
