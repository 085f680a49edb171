// RUN: %lower %s | filecheck %s

// A loop that may run zero times: its zeros are copied to registers before the branch, so that the
// phis after the loop copy nothing.
// CHECK-LABEL: define {{.*}} @loop(
// CHECK: %[[ASM1:\w+]] = call { float, float, float, float } asm sideeffect "", "=f,=f,=f,=f,0,1,2,3"(float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000)
// CHECK: %[[PHI1:\w+]] = phi float [ %[[IN1:\w+]], %body ], [ %[[D0:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI2:\w+]] = phi float [ %[[IN2:\w+]], %body ], [ %[[D1:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI3:\w+]] = phi float [ %[[IN3:\w+]], %body ], [ %[[D2:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI4:\w+]] = phi float [ %[[IN4:\w+]], %body ], [ %[[D3:\w+]], %body.2 ]
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
#t = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @loop(%n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<64x16xf16, #s, #smem, mutable>
    %b = ttg.local_alloc : () -> !ttg.memdesc<16x8xf16, #t, #smem, mutable>
    %zero = arith.constant dense<0.0> : tensor<64x8xf32, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x8xf32, #mma>) : i32 {
      %d = ttng.warp_group_dot %a, %b, %acc {isAsync = true} : !ttg.memdesc<64x16xf16, #s, #smem, mutable> * !ttg.memdesc<16x8xf16, #t, #smem, mutable> -> tensor<64x8xf32, #mma>
      scf.yield %d : tensor<64x8xf32, #mma>
    }
    %e = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : tensor<64x8xf32, #mma>
    tt.return
  }
}

// -----

// Values in distinct registers need no copy.
// CHECK-LABEL: define {{.*}} @distinct_registers(
// CHECK: br label %for.1
// CHECK-NEXT: for.1:
// CHECK-NEXT: %[[PHI1:\w+]] = phi i32 [ 0, %body ], [ %[[IN1:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI2:\w+]] = phi float [ %[[X0:\w+]], %body ], [ %[[D0:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI3:\w+]] = phi float [ %[[X1:\w+]], %body ], [ %[[D1:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI4:\w+]] = phi float [ %[[X2:\w+]], %body ], [ %[[D2:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI5:\w+]] = phi float [ %[[X3:\w+]], %body ], [ %[[D3:\w+]], %body.2 ]
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp slt i32 %[[PHI1]], %arg0
// CHECK-NEXT: br i1 %[[ICMP1]], label %body.2, label %done.3
// CHECK-NEXT: body.2:
// CHECK-NEXT: %[[D0]] = fadd contract float %[[PHI2]], %[[X0]]
// CHECK-NEXT: %[[D1]] = fadd contract float %[[PHI3]], %[[X1]]
// CHECK-NEXT: %[[D2]] = fadd contract float %[[PHI4]], %[[X2]]
// CHECK-NEXT: %[[D3]] = fadd contract float %[[PHI5]], %[[X3]]
// CHECK-NEXT: %[[IN1]] = add i32 %[[PHI1]], 1
// CHECK-NEXT: br label %for.1
// CHECK-NEXT: done.3:
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @distinct_registers(%n: i32, %x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x8x!tt.ptr<f32>, #mma>
    %x = tt.load %x_ptrs : tensor<64x8x!tt.ptr<f32>, #mma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<64x8xf32, #mma>) : i32 {
      %d = arith.addf %acc, %x : tensor<64x8xf32, #mma>
      scf.yield %d : tensor<64x8xf32, #mma>
    }
    tt.return
  }
}
