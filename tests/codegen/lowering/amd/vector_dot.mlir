// RUN: %lower %s | filecheck %s

// Two f16 along k are multiplied by one instruction, if K is even.
// CHECK-LABEL: define {{.*}} @halves(
// CHECK: call float @llvm.amdgcn.fdot2(<2 x half> %{{.*}}, <2 x half> %{{.*}}, float %{{.*}}, i1 false)
// CHECK-NOT: llvm.fma
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @halves(%p: !tt.ptr<f16>) {
    %c = arith.constant dense<0.000000e+00> : tensor<8x8xf32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<8x4x!tt.ptr<f16>, #a>
    %a = tt.load %ps : tensor<8x4x!tt.ptr<f16>, #a>
    %qs = tt.splat %p : !tt.ptr<f16> -> tensor<4x8x!tt.ptr<f16>, #b>
    %b = tt.load %qs : tensor<4x8x!tt.ptr<f16>, #b>
    %d = tt.dot %a, %b, %c : tensor<8x4xf16, #a> * tensor<4x8xf16, #b> -> tensor<8x8xf32, #blocked>
    tt.return
  }
}

// -----

// Four bytes are multiplied by one instruction.
// CHECK-LABEL: define {{.*}} @bytes(
// CHECK: %[[A:.*]] = bitcast <4 x i8> %{{.*}} to i32
// CHECK: %[[B:.*]] = bitcast <4 x i8> %{{.*}} to i32
// CHECK: call i32 @llvm.amdgcn.sdot4(i32 %[[A]], i32 %[[B]], i32 %{{.*}}, i1 false)
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #blocked}>
#b = #ttg.dot_op<{opIdx = 1, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @bytes(%p: !tt.ptr<i8>, %q: !tt.ptr<i32>) {
    %cs = tt.splat %q : !tt.ptr<i32> -> tensor<8x8x!tt.ptr<i32>, #blocked>
    %c = tt.load %cs : tensor<8x8x!tt.ptr<i32>, #blocked>
    %ps = tt.splat %p : !tt.ptr<i8> -> tensor<8x4x!tt.ptr<i8>, #a>
    %a = tt.load %ps : tensor<8x4x!tt.ptr<i8>, #a>
    %qs = tt.splat %p : !tt.ptr<i8> -> tensor<4x8x!tt.ptr<i8>, #b>
    %b = tt.load %qs : tensor<4x8x!tt.ptr<i8>, #b>
    %d = tt.dot %a, %b, %c : tensor<8x4xi8, #a> * tensor<4x8xi8, #b> -> tensor<8x8xi32, #blocked>
    tt.return
  }
}
