// RUN: %lower %s | filecheck %s

// The entry block computes lane, warp and, in a cluster, the rank of the CTA.
// CHECK-LABEL: define ptx_kernel void @cluster(ptr addrspace(1) %arg0, float %arg1, i32 %arg2) "nvvm.reqntid"="128" "nvvm.cluster_dim"="2" {
// CHECK-NEXT: entry:
// CHECK-NEXT: %[[THREAD:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK-NEXT: %[[LANE:\w+]] = and i32 %[[THREAD]], 31
// CHECK-NEXT: %[[WARP:\w+]] = lshr i32 %[[THREAD]], 5
// CHECK-NEXT: %[[RANK:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
// CHECK: br label %body
// CHECK-NEXT: body:
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster(%p: !tt.ptr<f32>, %x: f32, %n: i32) {
    tt.store %p, %x : !tt.ptr<f32>
    tt.return
  }
}

// -----

// The warp's index is uniform, and the optimizer knows the bounds of the indices.
// CHECK-LABEL: define amdgpu_kernel void @warps(ptr addrspace(1) inreg %arg0, float inreg %arg1, i32 inreg %arg2)
// CHECK-NEXT: entry:
// CHECK-NEXT: %[[WORKITEM:\w+]] = call i32 @llvm.amdgcn.workitem.id.x()
// CHECK-NEXT: %[[THREAD:\w+]] = and i32 %[[WORKITEM]], 255
// CHECK-NEXT: %[[LANE:\w+]] = and i32 %[[THREAD]], 63
// CHECK-NEXT: %[[FIRST:\w+]] = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %[[THREAD]])
// CHECK-NEXT: %[[SHIFTED:\w+]] = lshr i32 %[[FIRST]], 6
// CHECK-NEXT: %[[WARP:\w+]] = and i32 %[[SHIFTED]], 3
// CHECK: br label %body
// CHECK-NEXT: body:
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @warps(%p: !tt.ptr<f32>, %x: f32, %n: i32) {
    tt.store %p, %x : !tt.ptr<f32>
    tt.return
  }
}

// -----

// A callee stands before its caller. Its parameters are the address of its shared memory and the
// registers of each argument.
// CHECK-LABEL: define internal float @second(ptr addrspace(3) %shared, float %arg0.0, float %arg0.1, float %arg1.0) alwaysinline "nvvm.reqntid"="128" {
// CHECK: body:
// CHECK-NEXT: br label %exit
// CHECK-NEXT: exit:
// CHECK-NEXT: %[[SUM:\w+]] = phi float
// CHECK-NEXT: ret float %[[SUM]]
// CHECK-NEXT: }
// CHECK-NEXT: define ptx_kernel void @first() "nvvm.reqntid"="128" {
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @second(%x: tensor<256xf32, #b>, %y: tensor<128xf32, #c>) -> f32 attributes {noinline = true} {
    %c = arith.constant 1.0 : f32
    tt.return %c : f32
  }
  tt.func public @first() {
    %x = arith.constant dense<1.0> : tensor<256xf32, #b>
    %y = arith.constant dense<1.0> : tensor<128xf32, #c>
    %c = tt.call @second(%x, %y) : (tensor<256xf32, #b>, tensor<128xf32, #c>) -> f32
    tt.return
  }
}
