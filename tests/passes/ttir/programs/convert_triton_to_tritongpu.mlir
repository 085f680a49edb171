// Every kind of operation that the conversion meets; Triton's own pass is run on each part.

module {
 tt.func public @a(%p: !tt.ptr<f32>, %n: i32, %c: i1) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %e0 = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %e1 = tt.expand_dims %e0 {axis = 0 : i32} : tensor<128x1xi32> -> tensor<1x128x1xi32>
  %e2 = tt.expand_dims %e0 {axis = 2 : i32} : tensor<128x1xi32> -> tensor<128x1x1xi32>
  %e3 = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %b = tt.broadcast %e0 : tensor<128x1xi32> -> tensor<128x32xi32>
  %b3 = tt.broadcast %e3 : tensor<1x128xi32> -> tensor<32x128xi32>
  %x = arith.addi %b, %b : tensor<128x32xi32>
  %tr = tt.trans %x {order = array<i32: 1, 0>} : tensor<128x32xi32> -> tensor<32x128xi32>
  %y = arith.addi %tr, %b3 : tensor<32x128xi32>
  %f = arith.sitofp %y : tensor<32x128xi32> to tensor<32x128xf32>
  %red = "tt.reduce"(%f) <{axis = 1 : i32}> ({ ^bb0(%l: f32, %rr: f32): %m = arith.addf %l, %rr : f32 
     tt.reduce.return %m : f32 }) : (tensor<32x128xf32>) -> tensor<32xf32>
  %sc = "tt.scan"(%f) <{axis = 1 : i32, reverse = false}> ({ ^bb0(%l: f32, %rr: f32): %m = arith.addf %l, %rr : f32 
     tt.scan.return %m : f32 }) : (tensor<32x128xf32>) -> tensor<32x128xf32>
  %red2 = "tt.reduce"(%red) <{axis = 0 : i32}> ({ ^bb0(%l: f32, %rr: f32): %m = arith.addf %l, %rr : f32 
     tt.reduce.return %m : f32 }) : (tensor<32xf32>) -> f32
  %j = tt.join %f, %sc : tensor<32x128xf32> -> tensor<32x128x2xf32>
  %j2 = arith.addf %j, %j : tensor<32x128x2xf32>
  %s1, %s2 = tt.split %j2 : tensor<32x128x2xf32> -> tensor<32x128xf32>
  %rs = tt.reshape %f : tensor<32x128xf32> -> tensor<4096xf32>
  %rs2 = tt.reshape %f allow_reorder : tensor<32x128xf32> -> tensor<64x64xf32>
  %rs3 = tt.reshape %f allow_reorder efficient_layout : tensor<32x128xf32> -> tensor<64x64xf32>
  %cat = tt.cat %f, %sc : tensor<32x128xf32> -> tensor<64x128xf32>
  %hist = tt.histogram %r : tensor<128xi32> -> tensor<64xi32>
  %g = tt.gather %f[%y] {axis = 0 : i32} : (tensor<32x128xf32>, tensor<32x128xi32>) -> tensor<32x128xf32>
  %sp = tt.splat %p : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  tt.return
 }
}

// -----

module {
 tt.func public @a(%p: !tt.ptr<f32>, %n: i32, %c: i1, %lb: i32) {
  %a = arith.constant dense<1.00e+00> : tensor<128x32xf16>
  %b = arith.constant dense<2.00e+00> : tensor<32x128xf16>
  %cc = arith.constant dense<3.00e+00> : tensor<128x128xf32>
  %cst_s = arith.constant dense<1.0> : tensor<16x16xf16>
  %cst_c = arith.constant dense<1.0> : tensor<16x16xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %1 = scf.for %arg = %c0 to %c32 step %c1 iter_args(%arg1 = %cc) -> (tensor<128x128xf32>) : i32 {
    %dot = tt.dot %a, %b, %arg1 : tensor<128x32xf16> * tensor<32x128xf16> -> tensor<128x128xf32>
    scf.yield %dot : tensor<128x128xf32>
  } {tt.num_stages = 3 : i32}
  %ds = tt.dot %cst_s, %cst_s, %cst_c {tt.foo = 1 : i32} : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %a3 = arith.constant dense<1.00e+00> : tensor<4x32x32xf16>
  %c3 = arith.constant dense<1.00e+00> : tensor<4x32x32xf32>
  %ds3 = tt.dot %a3, %a3, %c3, inputPrecision = tf32 : tensor<4x32x32xf16> * tensor<4x32x32xf16> -> tensor<4x32x32xf32>
  %if = scf.if %c -> (tensor<16x16xf32>) { scf.yield %ds : tensor<16x16xf32> } else { scf.yield %cst_c : tensor<16x16xf32> }
  %w:2 = scf.while (%x = %ds, %i = %c0) : (tensor<16x16xf32>, i32) -> (tensor<16x16xf32>, i32) {
    %k = arith.cmpi slt, %i, %n : i32
    scf.condition(%k) %x, %i : tensor<16x16xf32>, i32
  } do {
   ^bb0(%x: tensor<16x16xf32>, %i: i32):
    %y = arith.addf %x, %ds : tensor<16x16xf32>
    %i1 = arith.addi %i, %c1 : i32
    scf.yield %y, %i1 : tensor<16x16xf32>, i32
  }
  %t = tt.trans %w#0 {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
  %cl = arith.addf %t, %t : tensor<16x16xf32>
  cf.cond_br %c, ^bb1(%cl : tensor<16x16xf32>), ^bb2(%t : tensor<16x16xf32>)
 ^bb1(%q: tensor<16x16xf32>):
  %q2 = arith.addf %q, %if : tensor<16x16xf32>
  cf.br ^bb2(%q2 : tensor<16x16xf32>)
 ^bb2(%q3: tensor<16x16xf32>):
  tt.print "x" {hex = false, isSigned = array<i32: 0>} : %q3 : tensor<16x16xf32>
  tt.return
 }
}

// -----

module {
 tt.func public @a(%p: !tt.ptr<f32>, %n: i32, %c: i1, %lb: i32) {
  %c16 = arith.constant dense<1.0> : tensor<16x1x1xf16>
  %cat1 = tt.cat %c16, %c16 : tensor<16x1x1xf16> -> tensor<32x1x1xf16>
  %c17 = arith.constant dense<1.0> : tensor<256xf16>
  %cat2 = tt.cat %c17, %c17 : tensor<256xf16> -> tensor<512xf16>
  %c18 = arith.constant dense<1.0> : tensor<2x64xf16>
  %cat3 = tt.cat %c18, %c18 : tensor<2x64xf16> -> tensor<4x64xf16>
  %c19 = arith.constant dense<1.0> : tensor<4xf16>
  %cat4 = tt.cat %c19, %c19 : tensor<4xf16> -> tensor<8xf16>
  %u = arith.addf %cat4, %cat4 : tensor<8xf16>
  %u1 = arith.addf %cat1, %cat1 : tensor<32x1x1xf16>
  %e = tt.elementwise_inline_asm "foo" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %c17 : tensor<256xf16> -> tensor<256xf16>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %pp = tt.addptr %ps, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %ld = tt.load %pp : tensor<256x!tt.ptr<f32>>
  tt.store %pp, %ld : tensor<256x!tt.ptr<f32>>
  %msk = arith.constant dense<true> : tensor<256xi1>
  %rmw = tt.atomic_rmw fadd, acq_rel, gpu, %pp, %ld, %msk : (tensor<256x!tt.ptr<f32>>, tensor<256xf32>, tensor<256xi1>) -> tensor<256xf32>
  %ext = tt.extern_elementwise %ld {libname = "", libpath = "", pure = true, symbol = "__nv_sinf"} : (tensor<256xf32>) -> tensor<256xf32>
  %m = "tt.map_elementwise"(%ld, %ext) <{pack = 1 : i32}> ({ ^bb0(%x: f32, %y: f32): %z = arith.addf %x, %y : f32
     tt.map_elementwise.return %z : f32 }) : (tensor<256xf32>, tensor<256xf32>) -> tensor<256xf32>
  %ar:2 = "tt.reduce"(%ld, %r) <{axis = 0 : i32}> ({ ^bb0(%l: f32, %li: i32, %q: f32, %qi: i32): tt.reduce.return %l, %li : f32, i32 }) : (tensor<256xf32>, tensor<256xi32>) -> (f32, i32)
  %d = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %d1 = math.exp %m : tensor<256xf32>
  %mh = tt.mulhiui %r, %r : tensor<256xi32>
  %c20 = arith.constant dense<1.0> : tensor<1xf16>
  tt.assert %msk, "hi" : tensor<256xi1>
  %bc = tt.bitcast %pp : tensor<256x!tt.ptr<f32>> -> tensor<256x!tt.ptr<i32>>
  %sel = arith.select %msk, %m, %ext : tensor<256xi1>, tensor<256xf32>
  %sel2 = arith.select %c, %m, %ext : tensor<256xf32>
  %poison = ub.poison : tensor<256xf32>
  tt.return
 }
}

// -----

module {
 tt.func public @a(%p: !tt.ptr<f16>, %n: i32, %c: i1, %l: i64, %d2: !tt.tensordesc<tensor<64x64xf16>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%l, %c1] : !tt.ptr<f16>, !tt.tensordesc<tensor<32x64xf16>>
  %x = tt.descriptor_load %d[%c0, %c0] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
  %x2 = tt.descriptor_load %d2[%c0, %c0] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
  tt.descriptor_store %d[%c0, %c0], %x : !tt.tensordesc<tensor<32x64xf16>>, tensor<32x64xf16>
  %t = tt.trans %x2 {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  tt.descriptor_store %d2[%c0, %c0], %t : !tt.tensordesc<tensor<64x64xf16>>, tensor<64x64xf16>
  tt.descriptor_reduce add, %d[%c0, %c0], %x : !tt.tensordesc<tensor<32x64xf16>>, tensor<32x64xf16>
  tt.return
 }
 tt.func public @b(%p: !tt.ptr<f16>, %n: i32, %c: i1, %l: i64, %d1: !tt.tensordesc<tensor<1x64xf16>>) {
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %g = tt.descriptor_gather %d1[%r, %n] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32) -> tensor<32x64xf16>
  tt.descriptor_scatter %d1[%r, %n], %g : !tt.tensordesc<tensor<1x64xf16>>, tensor<32xi32>, i32, tensor<32x64xf16>
  tt.return
 }
 tt.func public @ds(%n: i32) {
   %a = arith.constant dense<1> : tensor<128x64xi8>
   %b = arith.constant dense<1> : tensor<64x128xi8>
   %sa = arith.constant dense<1> : tensor<128x2xi8>
   %c = arith.constant dense<1.0> : tensor<128x128xf32>
   %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<128x64xi8>, tensor<128x2xi8> * tensor<64x128xi8> -> tensor<128x128xf32>
   %r = arith.addf %d, %d : tensor<128x128xf32>
   tt.return
 }
 tt.func public @tp(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
   %q = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<128x32xf16>>
   %c0 = arith.constant 0 : index
   %c1 = arith.constant 1 : index
   %c32 = arith.constant 32 : index
   %z = arith.constant dense<0.0> : tensor<128x32xf16>
   %r:2 = scf.for %k = %c0 to %c32 step %c1 iter_args(%pp = %q, %acc = %z) -> (!tt.ptr<tensor<128x32xf16>>, tensor<128x32xf16>) {
     %v = tt.load %pp {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<128x32xf16>>
     %ac = arith.addf %acc, %v : tensor<128x32xf16>
     %adv = tt.advance %pp, [%i, %i] : <tensor<128x32xf16>>
     scf.yield %adv, %ac : !tt.ptr<tensor<128x32xf16>>, tensor<128x32xf16>
   }
   tt.store %r#0, %r#1 : !tt.ptr<tensor<128x32xf16>>
   tt.return
 }
 tt.func public @cas(%p: !tt.ptr<i32>) {
   %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
   %z = arith.constant dense<0> : tensor<64xi32>
   %o = tt.atomic_cas acq_rel, gpu, %ps, %z, %z : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
   %l = arith.extsi %o : tensor<64xi32> to tensor<64xi64>
   %f = tt.int_to_ptr %l : tensor<64xi64> -> tensor<64x!tt.ptr<f32>>
   %bits = tt.ptr_to_int %f : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
   %fl = arith.sitofp %bits : tensor<64xi64> to tensor<64xf32>
   %f8 = tt.fp_to_fp %fl, rounding = rtne : tensor<64xf32> -> tensor<64xf8E5M2>
   %cl = tt.clampf %fl, %fl, %fl, propagateNan = none : tensor<64xf32>
   %ps2 = tt.precise_sqrt %fl : tensor<64xf32>
   tt.return
 }
}

// -----

module {
 tt.func public @a(%p: !tt.ptr<f32>, %n: i32, %c: i1, %d1: !tt.tensordesc<tensor<1x64xf16>>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %e0 = tt.expand_dims %r {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %b = tt.broadcast %e0 : tensor<128x1xi32> -> tensor<128x32xi32>
  %f = arith.sitofp %b : tensor<128x32xi32> to tensor<128x32xf32>
  %red:2 = "tt.reduce"(%f, %b) <{axis = 1 : i32}> ({ ^bb0(%l: f32, %li: i32, %rr: f32, %ri: i32): 
     tt.reduce.return %l, %li : f32, i32 }) : (tensor<128x32xf32>, tensor<128x32xi32>) -> (tensor<128xf32>, tensor<128xi32>)
  %x = arith.addf %red#0, %red#0 : tensor<128xf32>
  %y = arith.addi %red#1, %red#1 : tensor<128xi32>
  %z = tt.trans %f {order = array<i32: 1, 0>} : tensor<128x32xf32> -> tensor<32x128xf32>
  %acc = arith.constant dense<1.0> : tensor<128x128xf32>
  %d = tt.dot %f, %z, %acc : tensor<128x32xf32> * tensor<32x128xf32> -> tensor<128x128xf32>
  %g = tt.descriptor_gather %d1[%r, %n] : (!tt.tensordesc<tensor<1x64xf16>>, tensor<128xi32>, i32) -> tensor<128x64xf16>
  %j = tt.join %g, %g : tensor<128x64xf16> -> tensor<128x64x2xf16>
  %s1, %s2 = tt.split %j : tensor<128x64x2xf16> -> tensor<128x64xf16>
  %cat = tt.cat %x, %x : tensor<128xf32> -> tensor<256xf32>
  tt.return
 }
}
