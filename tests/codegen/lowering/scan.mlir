// RUN: %lower %s | filecheck %s

// Registers of a thread, then lanes by shuffles up, whose result each thread adds to its registers.
// CHECK-LABEL: define {{.*}} @warp(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ne i32 %[[AND1]], 0
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 2
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp ne i32 %[[AND2]], 0
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[IN1]], 4
// CHECK-NEXT: %[[ICMP3:\w+]] = icmp ne i32 %[[AND3]], 0
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[IN1]], 8
// CHECK-NEXT: %[[ICMP4:\w+]] = icmp ne i32 %[[AND4]], 0
// CHECK-NEXT: %[[AND5:\w+]] = and i32 %[[IN1]], 16
// CHECK-NEXT: %[[ICMP5:\w+]] = icmp ne i32 %[[AND5]], 0
// CHECK-NEXT: %[[AND6:\w+]] = and i32 %[[IN1]], 31
// CHECK-NEXT: %[[ICMP6:\w+]] = icmp eq i32 %[[AND6]], 0
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[AND6]], -1
// CHECK-NEXT: %[[AND7:\w+]] = and i32 %[[ADD1]], 31
// CHECK-NEXT: %[[AND8:\w+]] = and i32 %[[IN1]], 0
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND7]], %[[AND8]]
// CHECK: %[[C:\w+]] = add i32 %[[X0:\w+]], %[[X1:\w+]]
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[C]], i32 0, i32 7711)
// CHECK-NEXT: %[[C_V5:\w+]] = add i32 %[[SHFL1]], %[[C]]
// CHECK-NEXT: %[[SELECT1:\w+]] = select i1 %[[ICMP1]], i32 %[[C_V5]], i32 %[[C]]
// CHECK-NEXT: %[[SHFL2:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[SELECT1]], i32 1, i32 7199)
// CHECK-NEXT: %[[C_V8:\w+]] = add i32 %[[SHFL2]], %[[SELECT1]]
// CHECK-NEXT: %[[SELECT2:\w+]] = select i1 %[[ICMP2]], i32 %[[C_V8]], i32 %[[SELECT1]]
// CHECK-NEXT: %[[SHFL3:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[SELECT2]], i32 3, i32 6175)
// CHECK-NEXT: %[[C_V11:\w+]] = add i32 %[[SHFL3]], %[[SELECT2]]
// CHECK-NEXT: %[[SELECT3:\w+]] = select i1 %[[ICMP3]], i32 %[[C_V11]], i32 %[[SELECT2]]
// CHECK-NEXT: %[[SHFL4:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[SELECT3]], i32 7, i32 4127)
// CHECK-NEXT: %[[C_V14:\w+]] = add i32 %[[SHFL4]], %[[SELECT3]]
// CHECK-NEXT: %[[SELECT4:\w+]] = select i1 %[[ICMP4]], i32 %[[C_V14]], i32 %[[SELECT3]]
// CHECK-NEXT: %[[SHFL5:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[SELECT4]], i32 15, i32 31)
// CHECK-NEXT: %[[C_V17:\w+]] = add i32 %[[SHFL5]], %[[SELECT4]]
// CHECK-NEXT: %[[S1:\w+]] = select i1 %[[ICMP5]], i32 %[[C_V17]], i32 %[[SELECT4]]
// CHECK-NEXT: %[[XOR1:\w+]] = xor i1 %[[ICMP6]], true
// CHECK-NEXT: %[[SHFL6:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[S1]], i32 %[[OR1]], i32 31)
// CHECK-NEXT: %[[C_V21:\w+]] = add i32 %[[SHFL6]], %[[X0]]
// CHECK-NEXT: %[[S0:\w+]] = select i1 %[[XOR1]], i32 %[[C_V21]], i32 %[[X0]]
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @warp(%x_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.scan.return %c : i32
    }) : (tensor<64xi32, #b>) -> tensor<64xi32, #b>
    tt.return
  }
}

// -----

// Two warps, from the last element to the first: the totals of warps pass through shared memory.
// CHECK-LABEL: define {{.*}} @reverse_warps(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ne i32 %[[AND1]], 0
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 2
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp ne i32 %[[AND2]], 0
// CHECK: %[[ICMP3:\w+]] = icmp eq i32 %[[IN1]], 0
// CHECK: %[[ICMP4:\w+]] = icmp eq i32 %[[IN2:\w+]], 1
// CHECK: %[[OR1:\w+]] = or i32 %[[IN1]], 0
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[OR1]], 1
// CHECK: %[[OR2:\w+]] = or disjoint i32 %[[IN3:\w+]], %[[IN4:\w+]]
// CHECK: %[[BITCAST1:\w+]] = bitcast float %[[X:\w+]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST1]], i32 1, i32 7711)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[SHFL1]] to float
// CHECK-NEXT: %[[C:\w+]] = fadd contract float %[[BITCAST2]], %[[X]]
// CHECK-NEXT: %[[SELECT1:\w+]] = select i1 %[[ICMP1]], float %[[X]], float %[[C]]
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[SELECT1]] to i32
// CHECK-NEXT: %[[SHFL2:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST3]], i32 2, i32 7199)
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[SHFL2]] to float
// CHECK-NEXT: %[[C_V10:\w+]] = fadd contract float %[[BITCAST4]], %[[SELECT1]]
// CHECK-NEXT: %[[SELECT2:\w+]] = select i1 %[[ICMP2]], float %[[SELECT1]], float %[[C_V10]]
// CHECK: br i1 %[[ICMP3]], label %partial.1, label %after.2
// CHECK-NEXT: partial.1:
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 %[[IN5:\w+]]
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 0
// CHECK-NEXT: store float %[[IN6:\w+]], ptr addrspace(3) %[[PTR2]], align 4
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr float, ptr addrspace(3) @shared, i32 0
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR3]], i32 0
// CHECK-NEXT: %[[LOAD1:\w+]] = load <2 x float>, ptr addrspace(3) %[[PTR4]], align 8
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x float> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x float> %[[LOAD1]], i32 1
// CHECK-NEXT: %[[XOR1:\w+]] = xor i1 %[[ICMP4]], true
// CHECK: %[[XOR2:\w+]] = xor i1 %[[IN7:\w+]], true
// CHECK: %[[SHFL3:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[IN8:\w+]], i32 %[[OR2]], i32 31)
// CHECK: %[[OR3:\w+]] = or i1 %[[XOR2]], %[[XOR1]]
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @reverse_warps(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<64xf32, #b>) -> tensor<64xf32, #b>
    tt.return
  }
}
