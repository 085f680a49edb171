// RUN: %lower %s | filecheck %s

// The result's layout selects the lowering: scaled MFMA.
// CHECK-LABEL: define amdgpu_kernel void @mfma(ptr addrspace(1) inreg %arg0, ptr addrspace(1) inreg %arg1, ptr addrspace(1) inreg %arg2) "target-cpu"="gfx950" "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" "amdgpu-cluster-dims"="1,1,1" "denormal-fp-math-f32"="ieee" "amdgpu-no-completion-action" "amdgpu-no-default-queue" "amdgpu-no-dispatch-id" "amdgpu-no-dispatch-ptr" "amdgpu-no-flat-scratch-init" "amdgpu-no-heap-ptr" "amdgpu-no-hostcall-ptr" "amdgpu-no-implicitarg-ptr" "amdgpu-no-lds-kernel-id" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" "amdgpu-agpr-alloc"="0" {
// CHECK: %[[MFMA1:\w+]] = call <4 x float> @llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v8i32(<8 x i32> %[[IN1:\w+]], <8 x i32> %[[IN2:\w+]], <4 x float> %[[IN3:\w+]], i32 0, i32 0, i32 0, i32 0, i32 0, i32 0)
// CHECK: declare <4 x float> @llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v8i32(<8 x i32>, <8 x i32>, <4 x float>, i32, i32, i32, i32, i32, i32)
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [16, 16, 128], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @mfma(%a_ptr: !tt.ptr<f8E4M3FN>, %b_ptr: !tt.ptr<f8E4M3FN>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f8E4M3FN> -> tensor<16x128x!tt.ptr<f8E4M3FN>, #a>
    %a = tt.load %a_ptrs : tensor<16x128x!tt.ptr<f8E4M3FN>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f8E4M3FN> -> tensor<128x16x!tt.ptr<f8E4M3FN>, #bb>
    %b = tt.load %b_ptrs : tensor<128x16x!tt.ptr<f8E4M3FN>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x16x!tt.ptr<f32>, #mma>
    %d = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x128xf8E4M3FN, #a> * tensor<128x16xf8E4M3FN, #bb> -> tensor<16x16xf32, #mma>
    tt.return
  }
}

// -----

// On Blackwell's consumer chips: mma.sync with block_scale.
// CHECK-LABEL: define {{.*}} @mma(
// CHECK: %[[ASM1:\w+]] = call { float, float, float, float } asm "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3}, $10, {0, 0}, $11, {0, 0};", "=f,=f,=f,=f,r,r,r,r,r,r,r,r,0,1,2,3"(i32 %[[IN1:\w+]], i32 %[[IN2:\w+]], i32 %[[IN3:\w+]], i32 %[[IN4:\w+]], i32 %[[IN5:\w+]], i32 %[[IN6:\w+]], i32 %[[IN7:\w+]], i32 %[[IN8:\w+]], float %[[C0:\w+]], float %[[C1:\w+]], float %[[C2:\w+]], float %[[C3:\w+]]) convergent
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#sa = #ttg.linear<{register = [], lane = [[8, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#sb = #ttg.linear<{register = [], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @mma(%a_ptr: !tt.ptr<f8E4M3FN>, %b_ptr: !tt.ptr<f8E5M2>, %c_ptr: !tt.ptr<f32>, %x_ptr: !tt.ptr<i8>, %y_ptr: !tt.ptr<i8>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f8E4M3FN> -> tensor<16x32x!tt.ptr<f8E4M3FN>, #a>
    %a = tt.load %a_ptrs : tensor<16x32x!tt.ptr<f8E4M3FN>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f8E5M2> -> tensor<32x8x!tt.ptr<f8E5M2>, #bb>
    %b = tt.load %b_ptrs : tensor<32x8x!tt.ptr<f8E5M2>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x8x!tt.ptr<f32>, #mma>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i8> -> tensor<16x1x!tt.ptr<i8>, #sa>
    %x = tt.load %x_ptrs : tensor<16x1x!tt.ptr<i8>, #sa>
    %y_ptrs = tt.splat %y_ptr : !tt.ptr<i8> -> tensor<8x1x!tt.ptr<i8>, #sb>
    %y = tt.load %y_ptrs : tensor<8x1x!tt.ptr<i8>, #sb>
    %d = tt.dot_scaled %a scale %x, %b scale %y, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x32xf8E4M3FN, #a>, tensor<16x1xi8, #sa> * tensor<32x8xf8E5M2, #bb>, tensor<8x1xi8, #sb> -> tensor<16x8xf32, #mma>
    tt.return
  }
}
