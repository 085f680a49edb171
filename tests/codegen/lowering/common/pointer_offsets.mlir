// RUN: %lower %s | filecheck %s

// The four pointers of a thread are contiguous: the loop carries the first one, and the others are
// constant offsets in bytes.
// CHECK-LABEL: define {{.*}} @loop_carried_pointers(
// CHECK: br label %for.1
// CHECK-NEXT: for.1:
// CHECK-NEXT: %[[PHI1:\w+]] = phi i32 [ 0, %body ], [ %[[IN1:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI2:\w+]] = phi ptr addrspace(1) [ %[[P0:\w+]], %body ], [ %[[D0:\w+]], %body.2 ]
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(1) %[[PHI2]], i32 2
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(1) %[[PHI2]], i32 4
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i8, ptr addrspace(1) %[[PHI2]], i32 6
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp slt i32 %[[PHI1]], %arg0
// CHECK-NEXT: br i1 %[[ICMP1]], label %body.2, label %done.3
// CHECK-NEXT: body.2:
// CHECK-NEXT: %[[LOAD1:\w+]] = load <4 x half>, ptr addrspace(1) %[[PHI2]], align 8
// CHECK-NEXT: %[[X0:\w+]] = extractelement <4 x half> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[X1:\w+]] = extractelement <4 x half> %[[LOAD1]], i32 1
// CHECK-NEXT: %[[X2:\w+]] = extractelement <4 x half> %[[LOAD1]], i32 2
// CHECK-NEXT: %[[X3:\w+]] = extractelement <4 x half> %[[LOAD1]], i32 3
// CHECK-NEXT: %[[D0]] = getelementptr half, ptr addrspace(1) %[[PHI2]], i32 128
// CHECK-NEXT: %[[D1:\w+]] = getelementptr half, ptr addrspace(1) %[[PTR1]], i32 128
// CHECK-NEXT: %[[D2:\w+]] = getelementptr half, ptr addrspace(1) %[[PTR2]], i32 128
// CHECK-NEXT: %[[D3:\w+]] = getelementptr half, ptr addrspace(1) %[[PTR3]], i32 128
// CHECK-NEXT: %[[IN1]] = add i32 %[[PHI1]], 1
// CHECK-NEXT: br label %for.1
// CHECK-NEXT: done.3:
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @loop_carried_pointers(%n: i32, %p_base: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<128x!tt.ptr<f16>, #b>, tensor<128xi32, #b>
    %step = arith.constant dense<128> : tensor<128xi32, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<128x!tt.ptr<f16>, #b>) : i32 {
      %x = tt.load %q : tensor<128x!tt.ptr<f16>, #b>
      %d = tt.addptr %q, %step : tensor<128x!tt.ptr<f16>, #b>, tensor<128xi32, #b>
      scf.yield %d : tensor<128x!tt.ptr<f16>, #b>
    }
    tt.return
  }
}
