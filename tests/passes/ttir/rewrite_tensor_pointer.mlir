// RUN: weft opt %s -p triton-rewrite-tensor-pointer | filecheck %s

// The loop has an iter_arg for the offset instead of the pointer; the load is masked by the bounds.
// CHECK-LABEL: @walk
// CHECK-NOT: tt.make_tensor_ptr
// CHECK: %[[START:.*]] = arith.extsi %arg2 : i32 to i64
// CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %[[START]]) -> (i64)
// CHECK: tt.splat %[[AT]] : i64 -> tensor<8xi64>
// CHECK: %[[I:.*]] = arith.addi
// CHECK: %[[P:.*]] = tt.addptr
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[I]]
// CHECK: %[[HIGH:.*]] = arith.cmpi slt, %[[I]]
// CHECK: %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: %[[M:.*]] = tt.broadcast %[[IN]]
// CHECK: %[[V:.*]] = tt.load %[[P]], %[[M]], %{{.*}} : tensor<8x!tt.ptr<f32>>
// CHECK: tt.store %{{.*}}, %[[V]] : tensor<8x!tt.ptr<f32>>
// CHECK: %[[NEXT:.*]] = arith.addi %[[AT]]
// CHECK: scf.yield %[[NEXT]] : i64
tt.func public @walk(%base: !tt.ptr<f32>, %n: i64, %at: i32, %times: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %stride = arith.constant 1 : i64
  %p = tt.make_tensor_ptr %base, [%n], [%stride], [%at] {order = array<i32: 0>} : <tensor<8xf32>>
  %r = scf.for %i = %c0 to %times step %c1 iter_args(%q = %p) -> (!tt.ptr<tensor<8xf32>>) : i32 {
    %v = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<8xf32>>
    tt.store %q, %v : !tt.ptr<tensor<8xf32>>
    %next = tt.advance %q, [%c8] : <tensor<8xf32>>
    scf.yield %next : !tt.ptr<tensor<8xf32>>
  }
  tt.return
}
