// RUN: %lower %s | filecheck %s

// One instruction per register of the tensor.
// CHECK-LABEL: define {{.*}} @each_register(
// CHECK: %[[S0:\w+]] = fadd contract float %[[X0:\w+]], %[[Y0:\w+]]
// CHECK-NEXT: %[[S1:\w+]] = fadd contract float %[[X1:\w+]], %[[Y1:\w+]]
// CHECK-NEXT: %[[C0:\w+]] = fcmp olt float %[[X0]], %[[S0]]
// CHECK-NEXT: %[[C1:\w+]] = fcmp olt float %[[X1]], %[[S1]]
// CHECK-NEXT: %[[Z0:\w+]] = select i1 %[[C0]], float %[[X0]], float %[[S0]]
// CHECK-NEXT: %[[Z1:\w+]] = select i1 %[[C1]], float %[[X1]], float %[[S1]]
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @each_register(%x_ptr: !tt.ptr<f32>, %y_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %y_ptrs = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %y = tt.load %y_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %s = arith.addf %x, %y : tensor<64xf32, #b>
    %c = arith.cmpf olt, %x, %s : tensor<64xf32, #b>
    %z = arith.select %c, %x, %s : tensor<64xi1, #b>, tensor<64xf32, #b>
    tt.return
  }
}

// -----

// Scalars take one instruction, and the comparisons, shifts and divisions of each type.
// CHECK-LABEL: define {{.*}} @scalars(
// CHECK: %[[LT:\w+]] = icmp ult i32 %arg0, %arg1
// CHECK-NEXT: %[[GE:\w+]] = icmp sge i32 %arg0, %arg1
// CHECK-NEXT: %[[MIN:\w+]] = call i32 @llvm.smin.i32(i32 %arg0, i32 %arg1)
// CHECK-NEXT: %[[SHIFT:\w+]] = ashr i32 %arg0, %arg1
// CHECK-NEXT: %[[XOR:\w+]] = xor i32 %arg0, %arg1
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %arg0 to i64
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i32 %arg1 to i64
// CHECK-NEXT: %[[MUL1:\w+]] = mul i64 %[[ZEXT1]], %[[ZEXT2]]
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i64 %[[MUL1]], 32
// CHECK-NEXT: %[[HIGH:\w+]] = trunc i64 %[[LSHR1]] to i32
// CHECK-NEXT: %[[NEG:\w+]] = fneg float %arg2
// CHECK-NEXT: %[[MAX:\w+]] = call float @llvm.maxnum.f32(float %arg2, float %arg3)
// CHECK-NEXT: %[[MAXNAN:\w+]] = call float @llvm.maximum.f32(float %arg2, float %arg3)
// CHECK-NEXT: %[[REM:\w+]] = frem float %arg2, %arg3
// CHECK-NEXT: %[[DIV:\w+]] = fdiv float %arg2, %arg3
// CHECK-NEXT: %[[PRECISE:\w+]] = fdiv float %arg2, %arg3
// CHECK-NEXT: %[[CLAMP:\w+]] = call float @llvm.amdgcn.fmed3.f32(float %arg2, float %[[NEG]], float %arg3)
// CHECK-NEXT: %[[FMED1:\w+]] = call float @llvm.amdgcn.fmed3.f32(float %arg2, float %[[NEG]], float %arg3)
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp uno float %arg2, 0.0
// CHECK-NEXT: %[[CLAMPNAN:\w+]] = select i1 %[[FCMP1]], float %arg2, float %[[FMED1]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @scalars(%a: i32, %b: i32, %x: f32, %y: f32) {
    %lt = arith.cmpi ult, %a, %b : i32
    %ge = arith.cmpi sge, %a, %b : i32
    %min = arith.minsi %a, %b : i32
    %shift = arith.shrsi %a, %b : i32
    %xor = arith.xori %a, %b : i32
    %high = tt.mulhiui %a, %b : i32
    %neg = arith.negf %x : f32
    %max = arith.maxnumf %x, %y : f32
    %maxnan = arith.maximumf %x, %y : f32
    %rem = arith.remf %x, %y : f32
    %div = arith.divf %x, %y : f32
    %precise = tt.precise_divf %x, %y : f32
    %clamp = tt.clampf %x, %neg, %y, propagateNan = none : f32
    %clampnan = tt.clampf %x, %neg, %y, propagateNan = all : f32
    tt.return
  }
}

// -----

// Rows at constant distances times one stride: one 64-bit product, and multiples of the stride that
// are added to it.
// CHECK-LABEL: define {{.*}} @products_by_steps(
// CHECK: %[[M0:\w+]] = mul i64 %[[E0:\w+]], %arg0
// CHECK-NEXT: %[[MUL1:\w+]] = mul i64 %arg0, 32
// CHECK-NEXT: %[[M1:\w+]] = add i64 %[[M0]], %[[MUL1]]
// CHECK-NEXT: %[[MUL2:\w+]] = mul i64 %arg0, 64
// CHECK-NEXT: %[[M2:\w+]] = add i64 %[[M0]], %[[MUL2]]
// CHECK-NEXT: %[[M3:\w+]] = add i64 %[[M2]], %[[MUL1]]
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @products_by_steps(%stride: i64) {
    %r = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %e = arith.extsi %r : tensor<128xi32, #b> to tensor<128xi64, #b>
    %f = tt.splat %stride : i64 -> tensor<128xi64, #b>
    %m = arith.muli %e, %f : tensor<128xi64, #b>
    tt.return
  }
}
