// RUN: weft opt %s -p triton-rewrite-tensor-descriptor-to-pointer --split-input-file | filecheck %s

// CHECK-LABEL: @copy
// CHECK-NOT: descriptor
// CHECK: %[[SIZE:.*]] = arith.extsi %arg1 : i32 to i64
// CHECK: %[[AT:.*]] = arith.extsi %arg2 : i32 to i64
// CHECK: %[[ZERO:.*]] = arith.constant dense<0> : tensor<8xi16>
// CHECK: %[[P:.*]] = tt.addptr
// CHECK: %[[B:.*]] = tt.splat %[[SIZE]] : i64 -> tensor<8xi64>
// CHECK: arith.cmpi slt, %{{.*}}, %[[B]]
// CHECK: %[[M:.*]] = tt.broadcast
// CHECK: %[[V:.*]] = tt.load %[[P]], %[[M]], %[[ZERO]] : tensor<8x!tt.ptr<i16>>
// CHECK: tt.store %{{.*}}, %[[V]], %{{.*}} : tensor<8x!tt.ptr<i16>>
tt.func public @copy(%p: !tt.ptr<i16>, %n: i32, %i: i32) {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%c1] : <i16>, <tensor<8xi16>>
  %v = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<8xi16>> -> tensor<8xi16>
  tt.descriptor_store %d[%i], %v : !tt.tensordesc<tensor<8xi16>>, tensor<8xi16>
  tt.return
}

// -----

// A descriptor that the host made arrives in its parts; f32 may have to be rounded.
// CHECK-LABEL: @argument
// CHECK-SAME: (%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i64, %arg2: i64, %arg3: i1, %arg4: i1, %arg5: i32)
// CHECK: scf.if %arg4 -> (tensor<8xf32>)
tt.func public @argument(%d: !tt.tensordesc<tensor<8xf32>> {tt.divisibility = 16 : i32}, %i: i32) -> tensor<8xf32> {
  %v = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<8xf32>> -> tensor<8xf32>
  tt.return %v : tensor<8xf32>
}

// -----

// CHECK-LABEL: @carried
// CHECK: scf.for {{.*}} -> (!tt.ptr<i16>, i64, i64, i1, i1)
// CHECK: tt.atomic_rmw add, release, gpu
// CHECK: scf.yield {{.*}} : !tt.ptr<i16>, i64, i64, i1, i1
tt.func public @carried(%p: !tt.ptr<i16>, %n: i32, %v: tensor<8xi16>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n], [%one] : <i16>, <tensor<8xi16>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%e = %d) -> (!tt.tensordesc<tensor<8xi16>>) : i32 {
    tt.descriptor_reduce add, %e[%i], %v : !tt.tensordesc<tensor<8xi16>>, tensor<8xi16>
    scf.yield %e : !tt.tensordesc<tensor<8xi16>>
  }
  tt.return
}

// -----

// A tile of another rank is reshaped.
// CHECK-LABEL: @rank
// CHECK: tt.load {{.*}} : tensor<1x16x!tt.ptr<f16>>
// CHECK-NEXT: tt.reshape {{.*}} : tensor<1x16xf16> -> tensor<16xf16>
tt.func public @rank(%p: !tt.ptr<f16>, %n: i32, %i: i32) -> tensor<16xf16> {
  %c1 = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%c1, %c1] : <f16>, <tensor<1x16xf16>>
  %v = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<1x16xf16>> -> tensor<16xf16>
  tt.return %v : tensor<16xf16>
}

// Functions return the parts, and calls pass them on.
// CHECK-LABEL: @returns_its_argument
// CHECK-SAME: (%arg0: !tt.ptr<f32>, %arg1: i64, %arg2: i64, %arg3: i1, %arg4: i1) -> (!tt.ptr<f32>, i64, i64, i1, i1)
// CHECK-NEXT: tt.return %arg0, %arg1, %arg2, %arg3, %arg4
tt.func private @returns_its_argument(%d: !tt.tensordesc<tensor<64xf32>>) -> !tt.tensordesc<tensor<64xf32>> {
  tt.return %d : !tt.tensordesc<tensor<64xf32>>
}

// CHECK-LABEL: @calls
// CHECK: tt.call @returns_its_argument(%arg0, %arg1, %arg2, %arg3, %arg4) : (!tt.ptr<f32>, i64, i64, i1, i1) -> (!tt.ptr<f32>, i64, i64, i1, i1)
tt.func public @calls(%d: !tt.tensordesc<tensor<64xf32>>) {
  %0 = tt.call @returns_its_argument(%d) : (!tt.tensordesc<tensor<64xf32>>) -> !tt.tensordesc<tensor<64xf32>>
  tt.return
}
