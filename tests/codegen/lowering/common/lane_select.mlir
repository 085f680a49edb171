// RUN: %lower %s | filecheck %s

// Bit 1 of the lane selects the register that a lane sends, and bit 0 which of the received values
// is register 0.
// CHECK-LABEL: define {{.*}} @rotate(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 2
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ne i32 %[[AND1]], 0
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[IN1]], 1
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[LSHR1]], 1
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[IN1]], 28
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 1
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[SHL1]], 2
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND2]], %[[AND3]]
// CHECK-NEXT: %[[OR2:\w+]] = or disjoint i32 %[[OR1]], %[[AND4]]
// CHECK-NEXT: %[[AND5:\w+]] = and i32 %[[IN1]], 1
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp ne i32 %[[AND5]], 0
// CHECK: %[[SELECT1:\w+]] = select i1 %[[ICMP1]], float %[[X1:\w+]], float %[[X0:\w+]]
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[SELECT1]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST1]], i32 %[[OR2]], i32 31)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[SHFL1]] to float
// CHECK-NEXT: %[[SELECT2:\w+]] = select i1 %[[ICMP1]], float %[[X0]], float %[[X1]]
// CHECK-NEXT: %[[XOR1:\w+]] = xor i32 %[[OR2]], 2
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[SELECT2]] to i32
// CHECK-NEXT: %[[SHFL2:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST3]], i32 %[[XOR1]], i32 31)
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[SHFL2]] to float
// CHECK-NEXT: %[[Y0:\w+]] = select i1 %[[ICMP2]], float %[[BITCAST4]], float %[[BITCAST2]]
// CHECK-NEXT: %[[Y1:\w+]] = select i1 %[[ICMP2]], float %[[BITCAST2]], float %[[BITCAST4]]
#b = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []}>
#c = #ttg.linear<{register = [[4]], lane = [[1], [2], [8], [16], [32]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @rotate(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %y = ttg.convert_layout %x : tensor<64xf32, #b> -> tensor<64xf32, #c>
    tt.return
  }
}
