// RUN: %lower %s | filecheck %s

// Distinct registers are arguments, and results are returned in a struct.
// CHECK-LABEL: define internal { float, float } @f(ptr addrspace(3) %shared, float %arg0.0, float %arg0.1) alwaysinline "nvvm.reqntid"="32" {
// CHECK: %[[Y1:\w+]] = insertvalue { float, float } poison, float %[[IN1:\w+]], 0
// CHECK-NEXT: %[[STRUCT1:\w+]] = insertvalue { float, float } %[[Y1]], float %[[Y0:\w+]], 1
// CHECK-NEXT: ret { float, float } %[[STRUCT1]]
// CHECK-LABEL: define ptx_kernel void @kernel(ptr addrspace(1) %arg0) "nvvm.reqntid"="32" {
// CHECK: %[[CALL1:\w+]] = call { float, float } @f(ptr addrspace(3) null, float %[[Y0:\w+]], float %[[Y1:\w+]])
// CHECK-NEXT: %[[Y0_V4:\w+]] = extractvalue { float, float } %[[CALL1]], 0
// CHECK-NEXT: %[[Y1_V5:\w+]] = extractvalue { float, float } %[[CALL1]], 1
// CHECK-NEXT: ret void
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @f(%x: tensor<64xf32, #b>) -> tensor<64xf32, #b> attributes {noinline = true} {
    %y = arith.addf %x, %x : tensor<64xf32, #b>
    tt.return %y : tensor<64xf32, #b>
  }
  tt.func public @kernel(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %y = tt.call @f(%x) : (tensor<64xf32, #b>) -> tensor<64xf32, #b>
    tt.return
  }
}

// -----

// The caller passes the address of the callee's scratch memory; a scalar is returned as it is.
// CHECK: @shared = external addrspace(3) global [0 x i8], align 1024
// CHECK-LABEL: define internal float @f(ptr addrspace(3) %shared, float %arg0.0) alwaysinline "nvvm.reqntid"="128" {
// CHECK: ret float %[[IN1:\w+]]
// CHECK-LABEL: define ptx_kernel void @kernel(ptr addrspace(1) %arg0) "nvvm.reqntid"="128" {
// CHECK: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 0
// CHECK: %[[Y:\w+]] = call float @f(ptr addrspace(3) %[[PTR1]], float %[[X:\w+]])
// CHECK-NEXT: ret void
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @f(%x: tensor<128xf32, #b>) -> f32 attributes {noinline = true} {
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<128xf32, #b>) -> f32
    tt.return %s : f32
  }
  tt.func public @kernel(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<128x!tt.ptr<f32>, #b>
    %y = tt.call @f(%x) : (tensor<128xf32, #b>) -> f32
    tt.return
  }
}
