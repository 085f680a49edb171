// RUN: %lower %s | filecheck %s

// The select of tensors before an `if` on the same condition becomes phis after it.
// CHECK-LABEL: define {{.*}} @phi_of_select(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: br i1 %arg0, label %then.1, label %endif.2
// CHECK-NEXT: then.1:
// CHECK-NEXT: call void asm sideeffect "@$2 st.global.b32 [$1], $0;", "r,l,b"(i32 %arg2, ptr addrspace(1) %arg1, i1 %[[ICMP1]])
// CHECK-NEXT: br label %endif.2
// CHECK-NEXT: endif.2:
// CHECK-NEXT: %[[PHI1:\w+]] = phi float [ %[[X0:\w+]], %then.1 ], [ %[[Y0:\w+]], %body ]
// CHECK-NEXT: %[[PHI2:\w+]] = phi float [ %[[X1:\w+]], %then.1 ], [ %[[Y1:\w+]], %body ]
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @phi_of_select(%c: i1, %p: !tt.ptr<i32>, %v: i32, %x_ptr: !tt.ptr<f32>, %y_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %y_ptrs = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %y = tt.load %y_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %z = arith.select %c, %x, %y : tensor<64xf32, #b>
    scf.if %c {
      tt.store %p, %v : !tt.ptr<i32>
    }
    %w = arith.addf %z, %x : tensor<64xf32, #b>
    tt.return
  }
}

// -----

// A use before the end of the `if` needs the selects.
// CHECK-LABEL: define {{.*}} @use_inside(
// CHECK: %[[Z0:\w+]] = select i1 %arg0, float %[[X0:\w+]], float %[[Y0:\w+]]
// CHECK-NEXT: br i1 %arg0, label %then.1, label %endif.2
// CHECK-NEXT: then.1:
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <2 x float> poison, float %[[Z0]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x float> %[[VEC1]], float %[[Z0]], i32 1
// CHECK-NEXT: store <2 x float> %[[VEC2]], ptr addrspace(1) %[[P0:\w+]], align 8
// CHECK-NEXT: br label %endif.2
// CHECK-NEXT: endif.2:
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @use_inside(%c: i1, %p_base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x_ptr: !tt.ptr<f32>, %y_ptr: !tt.ptr<f32>) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<64x!tt.ptr<f32>, #b>, tensor<64xi32, #b>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %y_ptrs = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %y = tt.load %y_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %z = arith.select %c, %x, %y : tensor<64xf32, #b>
    scf.if %c {
      tt.store %p, %z : tensor<64x!tt.ptr<f32>, #b>
    }
    tt.return
  }
}
