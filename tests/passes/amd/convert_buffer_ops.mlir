// RUN: weft opt %s -p tritonamdgpu-convert-buffer-ops | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#rows = #ttg.slice<{dim = 1, parent = #tile}>
#columns = #ttg.slice<{dim = 0, parent = #tile}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// A small array: any 32-bit offset. A mask of true and zeros outside the mask are omitted.
// CHECK-LABEL: @small
// CHECK: %[[SUM:.*]] = arith.addi
// CHECK: amdg.buffer_load %arg0[%[[SUM]]], %arg2 :
// CHECK: amdg.buffer_load %arg0[%{{.*}}] {contiguity = 4 : i32}
// CHECK: amdg.buffer_store %{{.*}}, %arg0[%{{.*}}], %arg2 :
tt.func public @small(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32, %m: tensor<1024xi1, #blocked>) {
  %zero = arith.constant dense<0.0> : tensor<1024xf32, #blocked>
  %all = arith.constant dense<true> : tensor<1024xi1, #blocked>
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %s = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
  %o = arith.addi %s, %range : tensor<1024xi32, #blocked>
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %p = tt.addptr %base, %o : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %q = tt.addptr %base, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %v = tt.load %p, %m, %zero : tensor<1024x!tt.ptr<f32>, #blocked>
  %w = tt.load %q, %all : tensor<1024x!tt.ptr<f32>, #blocked>
  %x = arith.addf %v, %w : tensor<1024xf32, #blocked>
  tt.store %p, %x, %m : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
}

// An array of any size: its offsets must be proved. A program's id times 1024 may go too far,
// what is promised to be small does not.
// CHECK-LABEL: @proved
// CHECK: amdg.buffer_load %arg0
// CHECK: tt.load
// CHECK: amdg.buffer_load %arg0
// CHECK: tt.load
tt.func public @proved(%a: !tt.ptr<f32>, %n: i32) -> tensor<1024xf32, #blocked> {
  %c0 = arith.constant 0 : i32
  %c1000 = arith.constant 1000 : i32
  %c1024 = arith.constant 1024 : i32
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %id = tt.get_program_id x : i32
  %at = arith.muli %id, %c1024 : i32
  %few = arith.cmpi slt, %n, %c1000 : i32
  llvm.intr.assume %few : i1
  %some = arith.cmpi sge, %n, %c0 : i32
  llvm.intr.assume %some : i1
  %before = arith.subi %n, %c1000 : i32
  %s1 = tt.splat %at : i32 -> tensor<1024xi32, #blocked>
  %s2 = tt.splat %n : i32 -> tensor<1024xi32, #blocked>
  %s3 = tt.splat %before : i32 -> tensor<1024xi32, #blocked>
  %o1 = arith.addi %s1, %range : tensor<1024xi32, #blocked>
  %o2 = arith.addi %s2, %range : tensor<1024xi32, #blocked>
  %o3 = arith.addi %s3, %range : tensor<1024xi32, #blocked>
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %p0 = tt.addptr %base, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %p1 = tt.addptr %base, %o1 : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %p2 = tt.addptr %base, %o2 : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %p3 = tt.addptr %base, %o3 : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %v0 = tt.load %p0 : tensor<1024x!tt.ptr<f32>, #blocked>
  %v1 = tt.load %p1 : tensor<1024x!tt.ptr<f32>, #blocked>
  %v2 = tt.load %p2 : tensor<1024x!tt.ptr<f32>, #blocked>
  %v3 = tt.load %p3 : tensor<1024x!tt.ptr<f32>, #blocked>
  %x = arith.addf %v0, %v1 : tensor<1024xf32, #blocked>
  %y = arith.addf %v2, %v3 : tensor<1024xf32, #blocked>
  %z = arith.addf %x, %y : tensor<1024xf32, #blocked>
  tt.return %z : tensor<1024xf32, #blocked>
}

// Offsets of 64 bits, pointers without a base in common and scalar pointers stay.
// CHECK-LABEL: @stays
// CHECK-COUNT-3: tt.load
tt.func public @stays(%a: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %p: tensor<1024x!tt.ptr<f32>, #blocked>, %q: tensor<1024x!tt.ptr<f32>, #blocked>) {
  %c1 = arith.constant 1 : i32
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %wide = arith.extsi %range : tensor<1024xi32, #blocked> to tensor<1024xi64, #blocked>
  %base = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %p1 = tt.addptr %base, %wide : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi64, #blocked>
  %p2 = tt.addptr %p, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %p3 = tt.addptr %a, %c1 : !tt.ptr<f32>, i32
  %v1 = tt.load %p1 : tensor<1024x!tt.ptr<f32>, #blocked>
  %v2 = tt.load %p2 : tensor<1024x!tt.ptr<f32>, #blocked>
  %v3 = tt.load %p3 : !tt.ptr<f32>
  %s = tt.splat %v3 : f32 -> tensor<1024xf32, #blocked>
  %x = arith.addf %v1, %v2 : tensor<1024xf32, #blocked>
  %y = arith.addf %x, %s : tensor<1024xf32, #blocked>
  tt.store %q, %y : tensor<1024x!tt.ptr<f32>, #blocked>
  tt.return
}

// The stride of rows is an operand if the offsets have that form.
// CHECK-LABEL: @rows
// CHECK: amdg.buffer_load %arg0[%{{.*}}] stride = %arg1
tt.func public @rows(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32 {tt.divisibility = 16 : i32}) -> tensor<64x64xf16, #tile> {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #rows>
  %c = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #columns>
  %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #rows> -> tensor<64x1xi32, #tile>
  %s = tt.splat %n : i32 -> tensor<64x1xi32, #tile>
  %m = arith.muli %r1, %s : tensor<64x1xi32, #tile>
  %m1 = tt.broadcast %m : tensor<64x1xi32, #tile> -> tensor<64x64xi32, #tile>
  %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #columns> -> tensor<1x64xi32, #tile>
  %c2 = tt.broadcast %c1 : tensor<1x64xi32, #tile> -> tensor<64x64xi32, #tile>
  %o = arith.addi %c2, %m1 : tensor<64x64xi32, #tile>
  %base = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #tile>
  %p = tt.addptr %base, %o : tensor<64x64x!tt.ptr<f16>, #tile>, tensor<64x64xi32, #tile>
  %v = tt.load %p : tensor<64x64x!tt.ptr<f16>, #tile>
  tt.return %v : tensor<64x64xf16, #tile>
}

// Atomic operations that the chip has: not on bf16 sums, not across devices.
// CHECK-LABEL: @atomics
// CHECK: amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %arg1
// CHECK: amdg.buffer_atomic_cas acq_rel, gpu
// CHECK: tt.atomic_rmw fadd, acq_rel, sys
// CHECK: tt.atomic_rmw fadd, acq_rel, gpu
tt.func public @atomics(%a: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %x: tensor<1024xf32, #blocked>, %b: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %y: tensor<1024xi32, #blocked>, %c: !tt.ptr<bf16> {tt.pointer_range = 32 : i32}, %z: tensor<1024xbf16, #blocked>) {
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %a0 = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %b0 = tt.splat %b : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #blocked>
  %c0 = tt.splat %c : !tt.ptr<bf16> -> tensor<1024x!tt.ptr<bf16>, #blocked>
  %a1 = tt.addptr %a0, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %b1 = tt.addptr %b0, %range : tensor<1024x!tt.ptr<i32>, #blocked>, tensor<1024xi32, #blocked>
  %c1 = tt.addptr %c0, %range : tensor<1024x!tt.ptr<bf16>, #blocked>, tensor<1024xi32, #blocked>
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %a1, %x : (tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>) -> tensor<1024xf32, #blocked>
  %1 = tt.atomic_cas acq_rel, gpu, %b1, %y, %y : (tensor<1024x!tt.ptr<i32>, #blocked>, tensor<1024xi32, #blocked>, tensor<1024xi32, #blocked>) -> tensor<1024xi32, #blocked>
  %2 = tt.atomic_rmw fadd, acq_rel, sys, %a1, %x : (tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>) -> tensor<1024xf32, #blocked>
  %3 = tt.atomic_rmw fadd, acq_rel, gpu, %c1, %z : (tensor<1024x!tt.ptr<bf16>, #blocked>, tensor<1024xbf16, #blocked>) -> tensor<1024xbf16, #blocked>
  tt.return
}

// CHECK-LABEL: @to_shared
// CHECK: amdg.buffer_load_to_local %arg0[%{{.*}}] mask = %arg2 into %arg1 {contiguity = 4 : i32}
tt.func public @to_shared(%a: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %m: !ttg.memdesc<1024xf32, #shared, #smem, mutable>, %k: tensor<1024xi1, #blocked>) {
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #blocked>
  %a0 = tt.splat %a : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
  %a1 = tt.addptr %a0, %range : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
  %t = ttg.async_copy_global_to_local %a1, %m mask %k {contiguity = 4 : i32} : tensor<1024x!tt.ptr<f32>, #blocked> -> <1024xf32, #shared, #smem, mutable>
  tt.return
}
}
