// RUN: %lower %s | filecheck %s

// Registers first, then lanes by butterflies.
// CHECK-LABEL: define {{.*}} @warp(
// CHECK: %[[C:\w+]] = fadd contract float %[[X0:\w+]], %[[X1:\w+]]
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[C]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST1]], i32 1, i32 31)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[SHFL1]] to float
// CHECK-NEXT: %[[C_V7:\w+]] = fadd contract float %[[C]], %[[BITCAST2]]
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[C_V7]] to i32
// CHECK-NEXT: %[[SHFL2:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST3]], i32 2, i32 31)
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[SHFL2]] to float
// CHECK-NEXT: %[[C_V11:\w+]] = fadd contract float %[[C_V7]], %[[BITCAST4]]
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast float %[[C_V11]] to i32
// CHECK-NEXT: %[[SHFL3:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST5]], i32 4, i32 31)
// CHECK-NEXT: %[[BITCAST6:\w+]] = bitcast i32 %[[SHFL3]] to float
// CHECK-NEXT: %[[C_V15:\w+]] = fadd contract float %[[C_V11]], %[[BITCAST6]]
// CHECK-NEXT: %[[BITCAST7:\w+]] = bitcast float %[[C_V15]] to i32
// CHECK-NEXT: %[[SHFL4:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST7]], i32 8, i32 31)
// CHECK-NEXT: %[[BITCAST8:\w+]] = bitcast i32 %[[SHFL4]] to float
// CHECK-NEXT: %[[C_V19:\w+]] = fadd contract float %[[C_V15]], %[[BITCAST8]]
// CHECK-NEXT: %[[BITCAST9:\w+]] = bitcast float %[[C_V19]] to i32
// CHECK-NEXT: %[[SHFL5:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST9]], i32 16, i32 31)
// CHECK-NEXT: %[[BITCAST10:\w+]] = bitcast i32 %[[SHFL5]] to float
// CHECK-NEXT: %[[C_V23:\w+]] = fadd contract float %[[C_V19]], %[[BITCAST10]]
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @warp(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64xf32, #b>) -> f32
    tt.return
  }
}

// -----

// Four warps: one lane of each stores its partial, and all threads load the four of them.
// CHECK-LABEL: define {{.*}} @warps(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[REDUX1:\w+]] = call i32 @llvm.nvvm.redux.sync.max(i32 %[[X:\w+]], i32 -1)
// CHECK-NEXT: br i1 %[[ICMP1]], label %partial.1, label %after.2
// CHECK-NEXT: partial.1:
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[IN2:\w+]]
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 0
// CHECK-NEXT: store i32 %[[REDUX1]], ptr addrspace(3) %[[PTR2]], align 4
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 0
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR3]], i32 0
// CHECK-NEXT: %[[LOAD1:\w+]] = load <4 x i32>, ptr addrspace(3) %[[PTR4]], align 16
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 1
// CHECK-NEXT: %[[ELT3:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 2
// CHECK-NEXT: %[[ELT4:\w+]] = extractelement <4 x i32> %[[LOAD1]], i32 3
// CHECK-NEXT: %[[C:\w+]] = call i32 @llvm.smax.i32(i32 %[[ELT1]], i32 %[[ELT2]])
// CHECK-NEXT: %[[C_V13:\w+]] = call i32 @llvm.smax.i32(i32 %[[ELT3]], i32 %[[ELT4]])
// CHECK-NEXT: %[[C_V14:\w+]] = call i32 @llvm.smax.i32(i32 %[[C]], i32 %[[C_V13]])
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @warps(%x_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<128x!tt.ptr<i32>, #b>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
      %c = arith.maxsi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<128xi32, #b>) -> i32
    tt.return
  }
}

// -----

// AMD reduces within a row of 16 lanes by DPP. A dimension of registers needs no exchange.
// CHECK-LABEL: define {{.*}} @rows(
// CHECK: %[[C:\w+]] = call float @llvm.maxnum.f32(float %[[X0:\w+]], float %[[X1:\w+]])
// CHECK-NEXT: %[[C_V6:\w+]] = call float @llvm.maxnum.f32(float %[[X2:\w+]], float %[[X3:\w+]])
// CHECK-NEXT: %[[C_V7:\w+]] = call float @llvm.maxnum.f32(float %[[C]], float %[[C_V6]])
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[C_V7]] to i32
// CHECK-NEXT: %[[UPDATE1:\w+]] = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %[[BITCAST1]], i32 177, i32 15, i32 15, i1 true)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[UPDATE1]] to float
// CHECK-NEXT: %[[F:\w+]] = fadd contract float %[[C_V7]], %[[BITCAST2]]
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[F]] to i32
// CHECK-NEXT: %[[UPDATE2:\w+]] = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %[[BITCAST3]], i32 78, i32 15, i32 15, i1 true)
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[UPDATE2]] to float
// CHECK-NEXT: %[[F_V15:\w+]] = fadd contract float %[[F]], %[[BITCAST4]]
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast float %[[F_V15]] to i32
// CHECK-NEXT: %[[UPDATE3:\w+]] = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %[[BITCAST5]], i32 321, i32 15, i32 15, i1 true)
// CHECK-NEXT: %[[UPDATE4:\w+]] = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %[[UPDATE3]], i32 27, i32 15, i32 15, i1 true)
// CHECK-NEXT: %[[BITCAST6:\w+]] = bitcast i32 %[[UPDATE4]] to float
// CHECK-NEXT: %[[F_V20:\w+]] = fadd contract float %[[F_V15]], %[[BITCAST6]]
// CHECK-NEXT: %[[BITCAST7:\w+]] = bitcast float %[[F_V20]] to i32
// CHECK-NEXT: %[[UPDATE5:\w+]] = call i32 @llvm.amdgcn.update.dpp.i32(i32 poison, i32 %[[BITCAST7]], i32 296, i32 15, i32 15, i1 true)
// CHECK-NEXT: %[[BITCAST8:\w+]] = bitcast i32 %[[UPDATE5]] to float
// CHECK-NEXT: %[[F_V24:\w+]] = fadd contract float %[[F_V20]], %[[BITCAST8]]
// CHECK-NEXT: %[[BITCAST9:\w+]] = bitcast float %[[F_V24]] to i32
// CHECK-NEXT: %[[READLANE1:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[BITCAST9]], i32 0)
// CHECK-NEXT: %[[BITCAST10:\w+]] = bitcast i32 %[[READLANE1]] to float
// CHECK-NEXT: %[[READLANE2:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[BITCAST9]], i32 16)
// CHECK-NEXT: %[[BITCAST11:\w+]] = bitcast i32 %[[READLANE2]] to float
// CHECK-NEXT: %[[READLANE3:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[BITCAST9]], i32 32)
// CHECK-NEXT: %[[BITCAST12:\w+]] = bitcast i32 %[[READLANE3]] to float
// CHECK-NEXT: %[[READLANE4:\w+]] = call i32 @llvm.amdgcn.readlane.i32(i32 %[[BITCAST9]], i32 48)
// CHECK-NEXT: %[[BITCAST13:\w+]] = bitcast i32 %[[READLANE4]] to float
// CHECK-NEXT: %[[F_V34:\w+]] = fadd contract float %[[BITCAST10]], %[[BITCAST11]]
// CHECK-NEXT: %[[F_V35:\w+]] = fadd contract float %[[BITCAST12]], %[[BITCAST13]]
// CHECK-NEXT: %[[F_V36:\w+]] = fadd contract float %[[F_V34]], %[[F_V35]]
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [64, 1], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @rows(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x4x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x4x!tt.ptr<f32>, #b>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<64x4xf32, #b>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #b}>>
    %t = "tt.reduce"(%s) <{axis = 0 : i32}> ({
  ^bb0(%d: f32, %e: f32):
      %f = arith.addf %d, %e : f32
      tt.reduce.return %f : f32
    }) : (tensor<64xf32, #ttg.slice<{dim = 1, parent = #b}>>) -> f32
    tt.return
  }
}
