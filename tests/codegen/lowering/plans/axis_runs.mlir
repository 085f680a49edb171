// RUN: %lower %s | filecheck %s

// The runs of the dimension, from its lowest bits: register bit 0, lanes, register bit 1. A scan
// combines them in this order: neighbouring registers, lanes, and then the two halves.
// CHECK-LABEL: define {{.*}} @register_lane_register(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ne i32 %[[AND1]], 0
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 2
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp ne i32 %[[AND2]], 0
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[IN1]], 3
// CHECK-NEXT: %[[ICMP3:\w+]] = icmp eq i32 %[[AND3]], 0
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[AND3]], -1
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[ADD1]], 3
// CHECK-NEXT: %[[AND5:\w+]] = and i32 %[[IN1]], 28
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND4]], %[[AND5]]
// CHECK: %[[C:\w+]] = fadd contract float %[[X0:\w+]], %[[X1:\w+]]
// CHECK-NEXT: %[[C_V6:\w+]] = fadd contract float %[[X2:\w+]], %[[X3:\w+]]
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[C]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST1]], i32 0, i32 7711)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[SHFL1]] to float
// CHECK-NEXT: %[[C_V10:\w+]] = fadd contract float %[[BITCAST2]], %[[C]]
// CHECK-NEXT: %[[SELECT1:\w+]] = select i1 %[[ICMP1]], float %[[C_V10]], float %[[C]]
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[C_V6]] to i32
// CHECK-NEXT: %[[SHFL2:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST3]], i32 0, i32 7711)
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[SHFL2]] to float
// CHECK-NEXT: %[[C_V15:\w+]] = fadd contract float %[[BITCAST4]], %[[C_V6]]
// CHECK-NEXT: %[[SELECT2:\w+]] = select i1 %[[ICMP1]], float %[[C_V15]], float %[[C_V6]]
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast float %[[SELECT1]] to i32
// CHECK-NEXT: %[[SHFL3:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST5]], i32 1, i32 7199)
// CHECK-NEXT: %[[BITCAST6:\w+]] = bitcast i32 %[[SHFL3]] to float
// CHECK-NEXT: %[[C_V20:\w+]] = fadd contract float %[[BITCAST6]], %[[SELECT1]]
// CHECK-NEXT: %[[S1:\w+]] = select i1 %[[ICMP2]], float %[[C_V20]], float %[[SELECT1]]
// CHECK-NEXT: %[[BITCAST7:\w+]] = bitcast float %[[SELECT2]] to i32
// CHECK-NEXT: %[[SHFL4:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST7]], i32 1, i32 7199)
// CHECK-NEXT: %[[BITCAST8:\w+]] = bitcast i32 %[[SHFL4]] to float
// CHECK-NEXT: %[[C_V25:\w+]] = fadd contract float %[[BITCAST8]], %[[SELECT2]]
// CHECK-NEXT: %[[SELECT3:\w+]] = select i1 %[[ICMP2]], float %[[C_V25]], float %[[SELECT2]]
// CHECK-NEXT: %[[BITCAST9:\w+]] = bitcast float %[[S1]] to i32
// CHECK-NEXT: %[[SHFL5:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST9]], i32 3, i32 7199)
// CHECK-NEXT: %[[BITCAST10:\w+]] = bitcast i32 %[[SHFL5]] to float
// CHECK-NEXT: %[[BITCAST11:\w+]] = bitcast float %[[SELECT3]] to i32
// CHECK-NEXT: %[[SHFL6:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST11]], i32 3, i32 7199)
// CHECK-NEXT: %[[BITCAST12:\w+]] = bitcast i32 %[[SHFL6]] to float
// CHECK-NEXT: %[[C_V33:\w+]] = fadd contract float %[[BITCAST10]], %[[BITCAST12]]
// CHECK-NEXT: %[[XOR1:\w+]] = xor i1 %[[ICMP3]], true
// CHECK-NEXT: %[[SHFL7:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST9]], i32 %[[OR1]], i32 31)
// CHECK-NEXT: %[[BITCAST13:\w+]] = bitcast i32 %[[SHFL7]] to float
// CHECK-NEXT: %[[C_V37:\w+]] = fadd contract float %[[BITCAST10]], %[[SELECT3]]
// CHECK-NEXT: %[[BITCAST14:\w+]] = bitcast float %[[C_V37]] to i32
// CHECK-NEXT: %[[SHFL8:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST14]], i32 %[[OR1]], i32 31)
// CHECK-NEXT: %[[BITCAST15:\w+]] = bitcast i32 %[[SHFL8]] to float
// CHECK-NEXT: %[[SELECT4:\w+]] = select i1 %[[ICMP3]], float %[[BITCAST10]], float %[[BITCAST15]]
// CHECK-NEXT: %[[C_V42:\w+]] = fadd contract float %[[BITCAST13]], %[[X0]]
// CHECK-NEXT: %[[S0:\w+]] = select i1 %[[XOR1]], float %[[C_V42]], float %[[X0]]
// CHECK-NEXT: %[[C_V44:\w+]] = fadd contract float %[[SELECT4]], %[[X2]]
#b = #ttg.linear<{register = [[1], [8]], lane = [[2], [4], [0], [0], [0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @register_lane_register(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<16x!tt.ptr<f32>, #b>
    %s = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.scan.return %c : f32
    }) : (tensor<16xf32, #b>) -> tensor<16xf32, #b>
    tt.return
  }
}

// -----

// A dimension of one run of lanes and one of warps.
// CHECK-LABEL: define {{.*}} @lane_warp(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[X:\w+]], i32 1, i32 31)
// CHECK-NEXT: %[[C:\w+]] = xor i32 %[[X]], %[[SHFL1]]
// CHECK-NEXT: %[[SHFL2:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[C]], i32 2, i32 31)
// CHECK-NEXT: %[[C_V5:\w+]] = xor i32 %[[C]], %[[SHFL2]]
// CHECK-NEXT: br i1 %[[ICMP1]], label %partial.1, label %after.2
// CHECK-NEXT: partial.1:
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[IN2:\w+]]
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR1]], i32 0
// CHECK-NEXT: store i32 %[[C_V5]], ptr addrspace(3) %[[PTR2]], align 4
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 0
// CHECK-NEXT: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR3]], i32 0
// CHECK-NEXT: %[[LOAD1:\w+]] = load <2 x i32>, ptr addrspace(3) %[[PTR4]], align 8
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x i32> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x i32> %[[LOAD1]], i32 1
// CHECK-NEXT: %[[C_V13:\w+]] = xor i32 %[[ELT1]], %[[ELT2]]
#b = #ttg.linear<{register = [], lane = [[1], [2], [0], [0], [0]], warp = [[4]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @lane_warp(%x_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<8x!tt.ptr<i32>, #b>
    %s = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
      %c = arith.xori %a, %b : i32
      tt.reduce.return %c : i32
    }) : (tensor<8xi32, #b>) -> i32
    tt.return
  }
}
