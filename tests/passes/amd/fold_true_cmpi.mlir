// RUN: weft opt %s -p tritonamdgpu-fold-true-cmpi | filecheck %s

// A program's id is never negative; a loop's counter is below its bound.
// CHECK-LABEL: @scalars
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK: tt.store %arg0, %[[TRUE]]
// CHECK: %[[VARIES:.*]] = arith.cmpi slt, %{{.*}}, %arg1
// CHECK: tt.store %arg0, %[[VARIES]]
// CHECK: scf.for
// CHECK-NEXT: tt.store %arg0, %[[TRUE]]
tt.func public @scalars(%p: !tt.ptr<i1>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %id = tt.get_program_id x : i32
  %0 = arith.cmpi sge, %id, %c0 : i32
  tt.store %p, %0 : !tt.ptr<i1>
  %1 = arith.cmpi slt, %id, %n : i32
  tt.store %p, %1 : !tt.ptr<i1>
  scf.for %i = %c0 to %c64 step %c1 : i32 {
    %2 = arith.cmpi ult, %i, %c64 : i32
    tt.store %p, %2 : !tt.ptr<i1>
  }
  tt.return
}

// An assumption before a use holds for it.
// CHECK-LABEL: @promises
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: llvm.intr.assume %[[TRUE]]
// CHECK: tt.store %arg0, %[[TRUE]]
tt.func public @promises(%p: !tt.ptr<i1>, %n: i32) {
  %c8 = arith.constant 8 : i32
  %c4 = arith.constant 4 : i32
  %0 = arith.cmpi sge, %n, %c8 : i32
  llvm.intr.assume %0 : i1
  %1 = arith.cmpi sgt, %n, %c4 : i32
  tt.store %p, %1 : !tt.ptr<i1>
  tt.return
}

// Comparisons that never hold stay, and so do those of tensors.
// CHECK-LABEL: @stays
// CHECK: arith.cmpi slt, {{.*}} : i32
// CHECK: arith.cmpi slt, {{.*}} : tensor<64xi32>
tt.func public @stays(%p: !tt.ptr<i1>, %q: tensor<64x!tt.ptr<i1>>) {
  %c0 = arith.constant 0 : i32
  %all = arith.constant dense<64> : tensor<64xi32>
  %id = tt.get_program_id x : i32
  %0 = arith.cmpi slt, %id, %c0 : i32
  tt.store %p, %0 : !tt.ptr<i1>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %1 = arith.cmpi slt, %range, %all : tensor<64xi32>
  tt.store %q, %1 : tensor<64x!tt.ptr<i1>>
  tt.return
}
