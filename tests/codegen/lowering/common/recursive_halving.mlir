// RUN: %lower %s | filecheck %s

// Each lane holds eight rows: in the first step it keeps four of them, and sends the others to its
// partner; the sums are broadcast at the end.
// CHECK-LABEL: define {{.*}} @eight_rows(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ne i32 %[[AND1]], 0
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 2
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp ne i32 %[[AND2]], 0
// CHECK: %[[SELECT1:\w+]] = select i1 %[[ICMP1]], float %[[X4:\w+]], float %[[X0:\w+]]
// CHECK-NEXT: %[[SELECT2:\w+]] = select i1 %[[ICMP1]], float %[[X0]], float %[[X4]]
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[SELECT2]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST1]], i32 1, i32 31)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[SHFL1]] to float
// CHECK-NEXT: %[[C:\w+]] = fadd contract float %[[SELECT1]], %[[BITCAST2]]
// CHECK: %[[BITCAST3:\w+]] = bitcast float %[[IN2:\w+]] to i32
// CHECK-NEXT: %[[SHFL2:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST3]], i32 1, i32 31)
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast i32 %[[SHFL2]] to float
// CHECK-NEXT: %[[C_V20:\w+]] = fadd contract float %[[IN3:\w+]], %[[BITCAST4]]
// CHECK: %[[SHFL3:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[IN4:\w+]], i32 0, i32 6175)
// CHECK: %[[SHFL4:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[IN4]], i32 4, i32 6175)
#b = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @eight_rows(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x32x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<8x32x!tt.ptr<f32>, #b>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<8x32xf32, #b>) -> tensor<8xf32, #ttg.slice<{dim = 1, parent = #b}>>
    tt.return
  }
}
