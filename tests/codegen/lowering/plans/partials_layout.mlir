// RUN: %lower %s | filecheck %s

// Each thread holds 4 columns: one vector of four partials per store, 16 bytes apart by lane; the
// partials of the four warps follow.
// CHECK-LABEL: define {{.*}} @columns(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 2
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[IN2:\w+]], 2
// CHECK: %[[VEC1:\w+]] = insertelement <4 x float> poison, float %[[X0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x float> %[[VEC1]], float %[[X1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x float> %[[VEC2]], float %[[X2:\w+]], i32 2
// CHECK: %[[PTR1:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 %[[SHL1]]
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 0
// CHECK-NEXT: store <4 x float> %[[IN3:\w+]], ptr addrspace(3) %[[PTR2]], align 16
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 %[[SHL2]]
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR3]], i32 0
// CHECK-NEXT: %[[LOAD1:\w+]] = load <4 x float>, ptr addrspace(3) %[[PTR4]], align 16
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x float> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x float> %[[LOAD1]], i32 1
// CHECK: %[[LOAD2:\w+]] = load <4 x float>, ptr addrspace(3) %[[IN4:\w+]], align 16
// CHECK: %[[C:\w+]] = fadd contract float %[[ELT1]], %[[IN5:\w+]]
// CHECK-NEXT: %[[C_V37:\w+]] = fadd contract float %[[IN6:\w+]], %[[IN7:\w+]]
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @columns(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<4x128x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<4x128x!tt.ptr<f32>, #b>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<4x128xf32, #b>) -> tensor<128xf32, #ttg.slice<{dim = 0, parent = #b}>>
    tt.return
  }
}

// -----

// One partial per thread and row: the warps fill the vector, so that one load reads all four.
// CHECK-LABEL: define {{.*}} @rows(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 2
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[IN2:\w+]], %[[SHL1]]
// CHECK: %[[PTR1:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 %[[OR1]]
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 0
// CHECK-NEXT: store float %[[X:\w+]], ptr addrspace(3) %[[PTR2]], align 4
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 %[[SHL1]]
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR3]], i32 0
// CHECK-NEXT: %[[LOAD1:\w+]] = load <4 x float>, ptr addrspace(3) %[[PTR4]], align 16
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x float> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x float> %[[LOAD1]], i32 1
// CHECK-NEXT: %[[ELT3:\w+]] = extractelement <4 x float> %[[LOAD1]], i32 2
// CHECK-NEXT: %[[ELT4:\w+]] = extractelement <4 x float> %[[LOAD1]], i32 3
// CHECK-NEXT: %[[C:\w+]] = fadd contract float %[[ELT1]], %[[ELT2]]
// CHECK-NEXT: %[[C_V12:\w+]] = fadd contract float %[[ELT3]], %[[ELT4]]
// CHECK-NEXT: %[[C_V13:\w+]] = fadd contract float %[[C]], %[[C_V12]]
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @rows(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<32x4x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<32x4x!tt.ptr<f32>, #b>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<32x4xf32, #b>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #b}>>
    tt.return
  }
}
