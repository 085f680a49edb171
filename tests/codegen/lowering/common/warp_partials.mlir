// RUN: %lower %s | filecheck %s

// Two operands, an f32 and an i32 index: each has its slots, and one lane of each warp stores both.
// CHECK-LABEL: define {{.*}} @argmax(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[BITCAST1:\w+]] = bitcast float %[[X:\w+]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST1]], i32 1, i32 31)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[SHFL1]] to float
// CHECK-NEXT: %[[SHFL2:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[I:\w+]], i32 1, i32 31)
// CHECK-NEXT: %[[C:\w+]] = fcmp ogt float %[[X]], %[[BITCAST2]]
// CHECK-NEXT: %[[D:\w+]] = select i1 %[[C]], float %[[X]], float %[[BITCAST2]]
// CHECK-NEXT: %[[E:\w+]] = select i1 %[[C]], i32 %[[I]], i32 %[[SHFL2]]
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[D]] to i32
// CHECK-NEXT: %[[SHFL3:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST3]], i32 2, i32 31)
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[SHFL3]] to float
// CHECK-NEXT: %[[SHFL4:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[E]], i32 2, i32 31)
// CHECK-NEXT: %[[C_V14:\w+]] = fcmp ogt float %[[D]], %[[BITCAST4]]
// CHECK-NEXT: %[[D_V15:\w+]] = select i1 %[[C_V14]], float %[[D]], float %[[BITCAST4]]
// CHECK-NEXT: %[[E_V16:\w+]] = select i1 %[[C_V14]], i32 %[[E]], i32 %[[SHFL4]]
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast float %[[D_V15]] to i32
// CHECK-NEXT: %[[SHFL5:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST5]], i32 4, i32 31)
// CHECK-NEXT: %[[BITCAST6:\w+]] = bitcast i32 %[[SHFL5]] to float
// CHECK-NEXT: %[[SHFL6:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[E_V16]], i32 4, i32 31)
// CHECK-NEXT: %[[C_V21:\w+]] = fcmp ogt float %[[D_V15]], %[[BITCAST6]]
// CHECK-NEXT: %[[D_V22:\w+]] = select i1 %[[C_V21]], float %[[D_V15]], float %[[BITCAST6]]
// CHECK-NEXT: %[[E_V23:\w+]] = select i1 %[[C_V21]], i32 %[[E_V16]], i32 %[[SHFL6]]
// CHECK-NEXT: %[[BITCAST7:\w+]] = bitcast float %[[D_V22]] to i32
// CHECK-NEXT: %[[SHFL7:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST7]], i32 8, i32 31)
// CHECK-NEXT: %[[BITCAST8:\w+]] = bitcast i32 %[[SHFL7]] to float
// CHECK-NEXT: %[[SHFL8:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[E_V23]], i32 8, i32 31)
// CHECK-NEXT: %[[C_V28:\w+]] = fcmp ogt float %[[D_V22]], %[[BITCAST8]]
// CHECK-NEXT: %[[D_V29:\w+]] = select i1 %[[C_V28]], float %[[D_V22]], float %[[BITCAST8]]
// CHECK-NEXT: %[[E_V30:\w+]] = select i1 %[[C_V28]], i32 %[[E_V23]], i32 %[[SHFL8]]
// CHECK-NEXT: %[[BITCAST9:\w+]] = bitcast float %[[D_V29]] to i32
// CHECK-NEXT: %[[SHFL9:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST9]], i32 16, i32 31)
// CHECK-NEXT: %[[BITCAST10:\w+]] = bitcast i32 %[[SHFL9]] to float
// CHECK-NEXT: %[[SHFL10:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[E_V30]], i32 16, i32 31)
// CHECK-NEXT: %[[C_V35:\w+]] = fcmp ogt float %[[D_V29]], %[[BITCAST10]]
// CHECK-NEXT: %[[D_V36:\w+]] = select i1 %[[C_V35]], float %[[D_V29]], float %[[BITCAST10]]
// CHECK-NEXT: %[[E_V37:\w+]] = select i1 %[[C_V35]], i32 %[[E_V30]], i32 %[[SHFL10]]
// CHECK-NEXT: br i1 %[[ICMP1]], label %partial.1, label %after.2
// CHECK-NEXT: partial.1:
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 %[[IN2:\w+]]
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 0
// CHECK-NEXT: store float %[[D_V36]], ptr addrspace(3) %[[PTR2]], align 4
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[IN2]]
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR3]], i32 8
// CHECK-NEXT: store i32 %[[E_V37]], ptr addrspace(3) %[[PTR4]], align 4
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[PTR5:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 0
// CHECK-NEXT: %[[PTR6:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR5]], i32 0
// CHECK-NEXT: %[[LOAD1:\w+]] = load <2 x float>, ptr addrspace(3) %[[PTR6]], align 8
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x float> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x float> %[[LOAD1]], i32 1
// CHECK-NEXT: %[[PTR7:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 0
// CHECK-NEXT: %[[PTR8:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR7]], i32 8
// CHECK-NEXT: %[[LOAD2:\w+]] = load <2 x i32>, ptr addrspace(3) %[[PTR8]], align 8
// CHECK-NEXT: %[[ELT3:\w+]] = extractelement <2 x i32> %[[LOAD2]], i32 0
// CHECK-NEXT: %[[ELT4:\w+]] = extractelement <2 x i32> %[[LOAD2]], i32 1
// CHECK-NEXT: %[[C_V52:\w+]] = fcmp ogt float %[[ELT1]], %[[ELT2]]
// CHECK-NEXT: %[[D_V53:\w+]] = select i1 %[[C_V52]], float %[[ELT1]], float %[[ELT2]]
// CHECK-NEXT: %[[E_V54:\w+]] = select i1 %[[C_V52]], i32 %[[ELT3]], i32 %[[ELT4]]
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @argmax(%x_ptr: !tt.ptr<f32>, %i_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %i_ptrs = tt.splat %i_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %i = tt.load %i_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %s:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %m: i32, %b: f32, %n: i32):
      %c = arith.cmpf ogt, %a, %b : f32
      %d = arith.select %c, %a, %b : f32
      %e = arith.select %c, %m, %n : i32
      tt.reduce.return %d, %e : f32, i32
    }) : (tensor<64xf32, #b>, tensor<64xi32, #b>) -> (f32, i32)
    tt.return
  }
}

// -----

// Between CTAs: the partials are loaded from the shared memory of both, between cluster barriers.
// CHECK-LABEL: define {{.*}} @ctas(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK-NEXT: %[[MAPA1:\w+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @shared, i32 0)
// CHECK-NEXT: %[[MAPA2:\w+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @shared, i32 1)
// CHECK: %[[ZEXT1:\w+]] = zext i1 %[[X:\w+]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[ZEXT1]], i32 1, i32 31)
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i32 %[[SHFL1]] to i1
// CHECK-NEXT: %[[C:\w+]] = or i1 %[[X]], %[[TRUNC1]]
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i1 %[[C]] to i32
// CHECK-NEXT: %[[SHFL2:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[ZEXT2]], i32 2, i32 31)
// CHECK-NEXT: %[[TRUNC2:\w+]] = trunc i32 %[[SHFL2]] to i1
// CHECK-NEXT: %[[C_V10:\w+]] = or i1 %[[C]], %[[TRUNC2]]
// CHECK-NEXT: %[[ZEXT3:\w+]] = zext i1 %[[C_V10]] to i32
// CHECK-NEXT: %[[SHFL3:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[ZEXT3]], i32 4, i32 31)
// CHECK-NEXT: %[[TRUNC3:\w+]] = trunc i32 %[[SHFL3]] to i1
// CHECK-NEXT: %[[C_V14:\w+]] = or i1 %[[C_V10]], %[[TRUNC3]]
// CHECK-NEXT: %[[ZEXT4:\w+]] = zext i1 %[[C_V14]] to i32
// CHECK-NEXT: %[[SHFL4:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[ZEXT4]], i32 8, i32 31)
// CHECK-NEXT: %[[TRUNC4:\w+]] = trunc i32 %[[SHFL4]] to i1
// CHECK-NEXT: %[[C_V18:\w+]] = or i1 %[[C_V14]], %[[TRUNC4]]
// CHECK-NEXT: %[[ZEXT5:\w+]] = zext i1 %[[C_V18]] to i32
// CHECK-NEXT: %[[SHFL5:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[ZEXT5]], i32 16, i32 31)
// CHECK-NEXT: %[[TRUNC5:\w+]] = trunc i32 %[[SHFL5]] to i1
// CHECK-NEXT: %[[C_V22:\w+]] = or i1 %[[C_V18]], %[[TRUNC5]]
// CHECK-NEXT: br i1 %[[ICMP1]], label %partial.1, label %after.2
// CHECK-NEXT: partial.1:
// CHECK-NEXT: %[[ZEXT6:\w+]] = zext i1 %[[C_V22]] to i8
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 0
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 0
// CHECK-NEXT: store i8 %[[ZEXT6]], ptr addrspace(3) %[[PTR2]], align 1
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i8, ptr addrspace(7) %[[MAPA1]], i32 0
// CHECK-NEXT: %[[LOAD1:\w+]] = load i8, ptr addrspace(7) %[[PTR3]], align 1
// CHECK-NEXT: %[[TRUNC6:\w+]] = trunc i8 %[[LOAD1]] to i1
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(7) %[[MAPA2]], i32 0
// CHECK-NEXT: %[[LOAD2:\w+]] = load i8, ptr addrspace(7) %[[PTR4]], align 1
// CHECK-NEXT: %[[TRUNC7:\w+]] = trunc i8 %[[LOAD2]] to i1
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
// CHECK-NEXT: %[[C_V32:\w+]] = or i1 %[[TRUNC6]], %[[TRUNC7]]
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ctas(%x_ptr: !tt.ptr<i1>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i1> -> tensor<64x!tt.ptr<i1>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<i1>, #b>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i1, %b: i1):
      %c = arith.ori %a, %b : i1
      tt.reduce.return %c : i1
    }) : (tensor<64xi1, #b>) -> i1
    tt.return
  }
}
