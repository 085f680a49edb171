// RUN: %lower %s | filecheck %s

// NaN is selected in the scale, which a thread has once, and not in its two products.
// CHECK-LABEL: define {{.*}} @nan_scale(
// CHECK: %[[SELECT1:\w+]] = select i1 %arg1, half 0xH7E00, half %arg0
// CHECK-NEXT: %[[Z0:\w+]] = fmul contract half %[[X0:\w+]], %[[SELECT1]]
// CHECK-NEXT: %[[Z1:\w+]] = fmul contract half %[[X1:\w+]], %[[SELECT1]]
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @nan_scale(%scale: f16, %isnan: i1, %x_ptr: !tt.ptr<f16>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f16>, #b>
    %s = tt.splat %scale : f16 -> tensor<64xf16, #b>
    %c = tt.splat %isnan : i1 -> tensor<64xi1, #b>
    %nan = arith.constant dense<0x7E00> : tensor<64xf16, #b>
    %y = arith.mulf %x, %s : tensor<64xf16, #b>
    %z = arith.select %c, %nan, %y : tensor<64xi1, #b>, tensor<64xf16, #b>
    tt.return
  }
}

// -----

// A product with a second user is computed as it is.
// CHECK-LABEL: define {{.*}} @second_user(
// CHECK: %[[Y0:\w+]] = fmul contract half %[[X0:\w+]], %arg0
// CHECK-NEXT: %[[Y1:\w+]] = fmul contract half %[[X1:\w+]], %arg0
// CHECK-NEXT: %[[Z0:\w+]] = select i1 %arg1, half 0xH7E00, half %[[Y0]]
// CHECK-NEXT: %[[Z1:\w+]] = select i1 %arg1, half 0xH7E00, half %[[Y1]]
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @second_user(%scale: f16, %isnan: i1, %x_ptr: !tt.ptr<f16>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f16>, #b>
    %s = tt.splat %scale : f16 -> tensor<64xf16, #b>
    %c = tt.splat %isnan : i1 -> tensor<64xi1, #b>
    %nan = arith.constant dense<0x7E00> : tensor<64xf16, #b>
    %y = arith.mulf %x, %s : tensor<64xf16, #b>
    %z = arith.select %c, %nan, %y : tensor<64xi1, #b>, tensor<64xf16, #b>
    %w = arith.addf %y, %z : tensor<64xf16, #b>
    tt.return
  }
}
