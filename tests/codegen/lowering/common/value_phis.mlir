// RUN: %lower %s | filecheck %s

// Registers of the same element are one phi; a scalar is one, too.
// CHECK-LABEL: define {{.*}} @replicated(
// CHECK: br label %for.1
// CHECK-NEXT: for.1:
// CHECK-NEXT: %[[PHI1:\w+]] = phi i32 [ 0, %body ], [ %[[IN1:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI2:\w+]] = phi float [ %[[X0:\w+]], %body ], [ %[[D0:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI3:\w+]] = phi float [ %[[X1:\w+]], %body ], [ %[[D1:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI4:\w+]] = phi i32 [ %arg0, %body ], [ %[[L:\w+]], %body.2 ]
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp slt i32 %[[PHI1]], %arg0
// CHECK-NEXT: br i1 %[[ICMP1]], label %body.2, label %done.3
// CHECK-NEXT: body.2:
// CHECK-NEXT: %[[D0]] = fadd contract float %[[PHI2]], %[[X0]]
// CHECK-NEXT: %[[D1]] = fadd contract float %[[PHI3]], %[[X1]]
// CHECK-NEXT: %[[L]] = add i32 %[[PHI4]], %[[PHI1]]
// CHECK-NEXT: %[[IN1]] = add i32 %[[PHI1]], 1
// CHECK-NEXT: br label %for.1
// CHECK-NEXT: done.3:
#b = #ttg.linear<{register = [[1], [0]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @replicated(%n: i32, %x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x, %k = %n) -> (tensor<64xf32, #b>, i32) : i32 {
      %d = arith.addf %acc, %x : tensor<64xf32, #b>
      %l = arith.addi %k, %i : i32
      scf.yield %d, %l : tensor<64xf32, #b>, i32
    }
    tt.return
  }
}

// -----

// A view of shared memory has two phis, its address and its offset.
// CHECK-LABEL: define {{.*}} @view(
// CHECK: br i1 %arg0, label %then.1, label %else.3
// CHECK-NEXT: then.1:
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %arg1, 128
// CHECK-NEXT: %[[V0:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[MUL1]]
// CHECK-NEXT: br label %endif.2
// CHECK-NEXT: else.3:
// CHECK-NEXT: %[[MUL2:\w+]] = mul i32 %arg1, 128
// CHECK-NEXT: %[[W0:\w+]] = getelementptr i8, ptr addrspace(3) %[[N0:\w+]], i32 %[[MUL2]]
// CHECK-NEXT: br label %endif.2
// CHECK-NEXT: endif.2:
// CHECK-NEXT: %[[PHI1:\w+]] = phi ptr addrspace(3) [ %[[V0]], %then.1 ], [ %[[W0]], %else.3 ]
// CHECK-NEXT: %[[PHI2:\w+]] = phi i32 [ 0, %then.1 ], [ 0, %else.3 ]
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @view(%c: i1, %i: i32) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<2x32xf32, #s, #smem, mutable>
    %n = ttg.local_alloc : () -> !ttg.memdesc<2x32xf32, #s, #smem, mutable>
    %r = scf.if %c -> (!ttg.memdesc<32xf32, #s, #smem, mutable>) {
      %v = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x32xf32, #s, #smem, mutable> -> !ttg.memdesc<32xf32, #s, #smem, mutable>
      scf.yield %v : !ttg.memdesc<32xf32, #s, #smem, mutable>
    } else {
      %w = ttg.memdesc_index %n[%i] : !ttg.memdesc<2x32xf32, #s, #smem, mutable> -> !ttg.memdesc<32xf32, #s, #smem, mutable>
      scf.yield %w : !ttg.memdesc<32xf32, #s, #smem, mutable>
    }
    tt.return
  }
}
