// RUN: %lower %s | filecheck %s

// A result of 16x16 is two fragments of 16x8: they share A, and each has a column of B.
// CHECK-LABEL: define {{.*}} @two_fragments(
// CHECK: %[[ASM1:\w+]] = call { float, float, float, float } asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};", "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3"(i32 %[[IN1:\w+]], i32 %[[IN2:\w+]], i32 %[[IN3:\w+]], i32 %[[IN4:\w+]], i32 %[[IN5:\w+]], i32 %[[IN6:\w+]], float %[[C0:\w+]], float %[[C1:\w+]], float %[[C2:\w+]], float %[[C3:\w+]]) convergent
// CHECK: %[[ASM2:\w+]] = call { float, float, float, float } asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};", "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3"(i32 %[[IN1]], i32 %[[IN2]], i32 %[[IN3]], i32 %[[IN4]], i32 %[[IN7:\w+]], i32 %[[IN8:\w+]], float %[[C4:\w+]], float %[[C5:\w+]], float %[[C6:\w+]], float %[[C7:\w+]]) convergent
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @two_fragments(%a_ptr: !tt.ptr<f16>, %b_ptr: !tt.ptr<f16>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #a>
    %a = tt.load %a_ptrs : tensor<16x16x!tt.ptr<f16>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #bb>
    %b = tt.load %b_ptrs : tensor<16x16x!tt.ptr<f16>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x16x!tt.ptr<f32>, #mma>
    %d = tt.dot %a, %b, %c : tensor<16x16xf16, #a> * tensor<16x16xf16, #bb> -> tensor<16x16xf32, #mma>
    tt.return
  }
}

// -----

// A result of eight rows is smaller than the instruction's 16x8: the registers of the lower row are
// replicas, which have their own coordinates in the larger tile.
// CHECK-LABEL: define {{.*}} @small_result(
// CHECK: %[[VEC1:\w+]] = insertelement <2 x half> poison, half %[[A0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x half> %[[VEC1]], half %[[A1:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <2 x half> %[[VEC2]] to i32
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <2 x half> poison, half %[[A4:\w+]], i32 0
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <2 x half> %[[VEC3]], half %[[A5:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast <2 x half> %[[VEC4]] to i32
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <2 x half> poison, half %[[B0:\w+]], i32 0
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <2 x half> %[[VEC5]], half %[[B1:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast <2 x half> %[[VEC6]] to i32
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <2 x half> poison, half %[[B2:\w+]], i32 0
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <2 x half> %[[VEC7]], half %[[B3:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast <2 x half> %[[VEC8]] to i32
// CHECK-NEXT: %[[ASM1:\w+]] = call { float, float, float, float } asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};", "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3"(i32 %[[BITCAST1]], i32 %[[BITCAST1]], i32 %[[BITCAST2]], i32 %[[BITCAST2]], i32 %[[BITCAST3]], i32 %[[BITCAST4]], float %[[C0:\w+]], float %[[C1:\w+]], float %[[C0]], float %[[C1]]) convergent
// CHECK-NEXT: %[[D0:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 0
// CHECK-NEXT: %[[D1:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 1
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 2
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 3
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @small_result(%a_ptr: !tt.ptr<f16>, %b_ptr: !tt.ptr<f16>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<8x16x!tt.ptr<f16>, #a>
    %a = tt.load %a_ptrs : tensor<8x16x!tt.ptr<f16>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f16> -> tensor<16x8x!tt.ptr<f16>, #bb>
    %b = tt.load %b_ptrs : tensor<16x8x!tt.ptr<f16>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<8x8x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<8x8x!tt.ptr<f32>, #mma>
    %d = tt.dot %a, %b, %c : tensor<8x16xf16, #a> * tensor<16x8xf16, #bb> -> tensor<8x8xf32, #mma>
    tt.return
  }
}
