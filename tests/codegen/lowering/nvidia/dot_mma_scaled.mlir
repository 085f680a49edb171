// RUN: %lower %s | filecheck %s

// Four steps of k = 32 read the four bytes of one word of scales, by the selector {byte, 0}.
// CHECK-LABEL: define {{.*}} @fp8(
// CHECK: %[[VEC1:\w+]] = insertelement <4 x i8> poison, i8 %[[A0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i8> %[[VEC1]], i8 %[[A1:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i8> %[[VEC2]], i8 %[[A2:\w+]], i32 2
// CHECK: %[[BITCAST1:\w+]] = bitcast <4 x i8> %[[IN1:\w+]] to i32
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i8> poison, i8 %[[A8:\w+]], i32 0
// CHECK: %[[BITCAST2:\w+]] = bitcast <4 x i8> %[[IN2:\w+]] to i32
// CHECK: %[[VEC5:\w+]] = insertelement <4 x i8> %[[IN3:\w+]], i8 0, i32 2
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <4 x i8> %[[VEC5]], i8 0, i32 3
// CHECK: %[[ASM1:\w+]] = call { float, float, float, float } asm "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3}, $10, {0, 0}, $11, {0, 0};", "=f,=f,=f,=f,r,r,r,r,r,r,r,r,0,1,2,3"(i32 %[[BITCAST1]], i32 %[[IN4:\w+]], i32 %[[BITCAST2]], i32 %[[IN5:\w+]], i32 %[[IN6:\w+]], i32 %[[IN7:\w+]], i32 %[[IN8:\w+]], i32 %[[IN9:\w+]], float %[[C0:\w+]], float %[[C1:\w+]], float %[[C2:\w+]], float %[[C3:\w+]]) convergent
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 1
// CHECK: %[[ASM2:\w+]] = call { float, float, float, float } asm "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3}, $10, {1, 0}, $11, {1, 0};", "=f,=f,=f,=f,r,r,r,r,r,r,r,r,0,1,2,3"(i32 %[[IN10:\w+]], i32 %[[IN11:\w+]], i32 %[[IN12:\w+]], i32 %[[IN13:\w+]], i32 %[[IN14:\w+]], i32 %[[IN15:\w+]], i32 %[[IN8]], i32 %[[IN9]], float %[[PART1]], float %[[PART2]], float %[[IN16:\w+]], float %[[IN17:\w+]]) convergent
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#sa = #ttg.linear<{register = [[0, 1]], lane = [[8, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#sb = #ttg.linear<{register = [[0, 1]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @fp8(%a_ptr: !tt.ptr<f8E4M3FN>, %b_ptr: !tt.ptr<f8E5M2>, %c_ptr: !tt.ptr<f32>, %x_ptr: !tt.ptr<i8>, %y_ptr: !tt.ptr<i8>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f8E4M3FN> -> tensor<16x64x!tt.ptr<f8E4M3FN>, #a>
    %a = tt.load %a_ptrs : tensor<16x64x!tt.ptr<f8E4M3FN>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f8E5M2> -> tensor<64x8x!tt.ptr<f8E5M2>, #bb>
    %b = tt.load %b_ptrs : tensor<64x8x!tt.ptr<f8E5M2>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x8x!tt.ptr<f32>, #mma>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i8> -> tensor<16x2x!tt.ptr<i8>, #sa>
    %x = tt.load %x_ptrs : tensor<16x2x!tt.ptr<i8>, #sa>
    %y_ptrs = tt.splat %y_ptr : !tt.ptr<i8> -> tensor<8x2x!tt.ptr<i8>, #sb>
    %y = tt.load %y_ptrs : tensor<8x2x!tt.ptr<i8>, #sb>
    %d = tt.dot_scaled %a scale %x, %b scale %y, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x64xf8E4M3FN, #a>, tensor<16x2xi8, #sa> * tensor<64x8xf8E5M2, #bb>, tensor<8x2xi8, #sb> -> tensor<16x8xf32, #mma>
    tt.return
  }
}

// -----

// fp4 with fp8 scales: a step of k = 64 takes the whole word, scale_vec::4X.
// CHECK-LABEL: define {{.*}} @nvfp4(
// CHECK: %[[ASM1:\w+]] = call { float, float, float, float } asm "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3}, $10, {0, 0}, $11, {0, 0};", "=f,=f,=f,=f,r,r,r,r,r,r,r,r,0,1,2,3"(i32 %[[IN1:\w+]], i32 %[[IN2:\w+]], i32 %[[IN3:\w+]], i32 %[[IN4:\w+]], i32 %[[IN5:\w+]], i32 %[[IN6:\w+]], i32 %[[IN7:\w+]], i32 %[[IN8:\w+]], float %[[C0:\w+]], float %[[C1:\w+]], float %[[C2:\w+]], float %[[C3:\w+]]) convergent
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#sa = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[8, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
#sb = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @nvfp4(%a_ptr: !tt.ptr<i8>, %b_ptr: !tt.ptr<i8>, %c_ptr: !tt.ptr<f32>, %x_ptr: !tt.ptr<f8E4M3FN>, %y_ptr: !tt.ptr<f8E4M3FN>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<i8> -> tensor<16x32x!tt.ptr<i8>, #a>
    %a = tt.load %a_ptrs : tensor<16x32x!tt.ptr<i8>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<i8> -> tensor<32x8x!tt.ptr<i8>, #bb>
    %b = tt.load %b_ptrs : tensor<32x8x!tt.ptr<i8>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x8x!tt.ptr<f32>, #mma>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f8E4M3FN> -> tensor<16x4x!tt.ptr<f8E4M3FN>, #sa>
    %x = tt.load %x_ptrs : tensor<16x4x!tt.ptr<f8E4M3FN>, #sa>
    %y_ptrs = tt.splat %y_ptr : !tt.ptr<f8E4M3FN> -> tensor<8x4x!tt.ptr<f8E4M3FN>, #sb>
    %y = tt.load %y_ptrs : tensor<8x4x!tt.ptr<f8E4M3FN>, #sb>
    %d = tt.dot_scaled %a scale %x, %b scale %y, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<16x32xi8, #a>, tensor<16x4xf8E4M3FN, #sa> * tensor<32x8xi8, #bb>, tensor<8x4xf8E4M3FN, #sb> -> tensor<16x8xf32, #mma>
    tt.return
  }
}
