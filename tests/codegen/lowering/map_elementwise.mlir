// RUN: %lower %s | filecheck %s

// The region is lowered once per pack of registers.
// CHECK-LABEL: define {{.*}} @each(
// CHECK: %[[C:\w+]] = mul i32 %[[X0:\w+]], %[[Y0:\w+]]
// CHECK-NEXT: %[[C_V6:\w+]] = mul i32 %[[X1:\w+]], %[[Y1:\w+]]
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @each(%x_ptr: !tt.ptr<i32>, %y_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %y_ptrs = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %y = tt.load %y_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %z = "tt.map_elementwise"(%x, %y) <{pack = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
      %c = arith.muli %a, %b : i32
      tt.map_elementwise.return %c : i32
    }) : (tensor<64xi32, #b>, tensor<64xi32, #b>) -> tensor<64xi32, #b>
    tt.return
  }
}
