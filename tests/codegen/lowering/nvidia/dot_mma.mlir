// RUN: %lower %s | filecheck %s

// k = 32 is two instructions of k = 16; the second adds to the first. Words of A alternate between
// the upper row and the row eight below.
// CHECK-LABEL: define {{.*}} @f16(
// CHECK: %[[VEC1:\w+]] = insertelement <2 x half> poison, half %[[A0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x half> %[[VEC1]], half %[[A1:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <2 x half> %[[VEC2]] to i32
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <2 x half> poison, half %[[A4:\w+]], i32 0
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <2 x half> %[[VEC3]], half %[[A5:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast <2 x half> %[[VEC4]] to i32
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <2 x half> poison, half %[[A8:\w+]], i32 0
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <2 x half> %[[VEC5]], half %[[A9:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast <2 x half> %[[VEC6]] to i32
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <2 x half> poison, half %[[A12:\w+]], i32 0
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <2 x half> %[[VEC7]], half %[[A13:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast <2 x half> %[[VEC8]] to i32
// CHECK-NEXT: %[[VEC9:\w+]] = insertelement <2 x half> poison, half %[[A2:\w+]], i32 0
// CHECK-NEXT: %[[VEC10:\w+]] = insertelement <2 x half> %[[VEC9]], half %[[A3:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast <2 x half> %[[VEC10]] to i32
// CHECK-NEXT: %[[VEC11:\w+]] = insertelement <2 x half> poison, half %[[A6:\w+]], i32 0
// CHECK-NEXT: %[[VEC12:\w+]] = insertelement <2 x half> %[[VEC11]], half %[[A7:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST6:\w+]] = bitcast <2 x half> %[[VEC12]] to i32
// CHECK-NEXT: %[[VEC13:\w+]] = insertelement <2 x half> poison, half %[[A10:\w+]], i32 0
// CHECK-NEXT: %[[VEC14:\w+]] = insertelement <2 x half> %[[VEC13]], half %[[A11:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST7:\w+]] = bitcast <2 x half> %[[VEC14]] to i32
// CHECK-NEXT: %[[VEC15:\w+]] = insertelement <2 x half> poison, half %[[A14:\w+]], i32 0
// CHECK-NEXT: %[[VEC16:\w+]] = insertelement <2 x half> %[[VEC15]], half %[[A15:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST8:\w+]] = bitcast <2 x half> %[[VEC16]] to i32
// CHECK-NEXT: %[[VEC17:\w+]] = insertelement <2 x half> poison, half %[[B0:\w+]], i32 0
// CHECK-NEXT: %[[VEC18:\w+]] = insertelement <2 x half> %[[VEC17]], half %[[B1:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST9:\w+]] = bitcast <2 x half> %[[VEC18]] to i32
// CHECK-NEXT: %[[VEC19:\w+]] = insertelement <2 x half> poison, half %[[B2:\w+]], i32 0
// CHECK-NEXT: %[[VEC20:\w+]] = insertelement <2 x half> %[[VEC19]], half %[[B3:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST10:\w+]] = bitcast <2 x half> %[[VEC20]] to i32
// CHECK-NEXT: %[[VEC21:\w+]] = insertelement <2 x half> poison, half %[[B4:\w+]], i32 0
// CHECK-NEXT: %[[VEC22:\w+]] = insertelement <2 x half> %[[VEC21]], half %[[B5:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST11:\w+]] = bitcast <2 x half> %[[VEC22]] to i32
// CHECK-NEXT: %[[VEC23:\w+]] = insertelement <2 x half> poison, half %[[B6:\w+]], i32 0
// CHECK-NEXT: %[[VEC24:\w+]] = insertelement <2 x half> %[[VEC23]], half %[[B7:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST12:\w+]] = bitcast <2 x half> %[[VEC24]] to i32
// CHECK-NEXT: %[[ASM1:\w+]] = call { float, float, float, float } asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};", "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3"(i32 %[[BITCAST1]], i32 %[[BITCAST5]], i32 %[[BITCAST2]], i32 %[[BITCAST6]], i32 %[[BITCAST9]], i32 %[[BITCAST10]], float %[[C0:\w+]], float %[[C1:\w+]], float %[[C2:\w+]], float %[[C3:\w+]]) convergent
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 1
// CHECK-NEXT: %[[PART3:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 2
// CHECK-NEXT: %[[PART4:\w+]] = extractvalue { float, float, float, float } %[[ASM1]], 3
// CHECK-NEXT: %[[ASM2:\w+]] = call { float, float, float, float } asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$0, $1, $2, $3};", "=f,=f,=f,=f,r,r,r,r,r,r,0,1,2,3"(i32 %[[BITCAST3]], i32 %[[BITCAST7]], i32 %[[BITCAST4]], i32 %[[BITCAST8]], i32 %[[BITCAST11]], i32 %[[BITCAST12]], float %[[PART1]], float %[[PART2]], float %[[PART3]], float %[[PART4]]) convergent
// CHECK-NEXT: %[[D0:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 0
// CHECK-NEXT: %[[D1:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 1
// CHECK-NEXT: %[[D2:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 2
// CHECK-NEXT: %[[D3:\w+]] = extractvalue { float, float, float, float } %[[ASM2]], 3
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f16(%a_ptr: !tt.ptr<f16>, %b_ptr: !tt.ptr<f16>, %c_ptr: !tt.ptr<f32>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>, #a>
    %a = tt.load %a_ptrs : tensor<16x32x!tt.ptr<f16>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f16> -> tensor<32x8x!tt.ptr<f16>, #bb>
    %b = tt.load %b_ptrs : tensor<32x8x!tt.ptr<f16>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #mma>
    %c = tt.load %c_ptrs : tensor<16x8x!tt.ptr<f32>, #mma>
    %d = tt.dot %a, %b, %c : tensor<16x32xf16, #a> * tensor<32x8xf16, #bb> -> tensor<16x8xf32, #mma>
    tt.return
  }
}

// -----

// Accumulators of f16 are packed in pairs.
// CHECK-LABEL: define {{.*}} @packed_accumulators(
// CHECK: %[[VEC1:\w+]] = insertelement <2 x half> poison, half %[[A0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x half> %[[VEC1]], half %[[A1:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast <2 x half> %[[VEC2]] to i32
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <2 x half> poison, half %[[A4:\w+]], i32 0
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <2 x half> %[[VEC3]], half %[[A5:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast <2 x half> %[[VEC4]] to i32
// CHECK-NEXT: %[[VEC5:\w+]] = insertelement <2 x half> poison, half %[[A2:\w+]], i32 0
// CHECK-NEXT: %[[VEC6:\w+]] = insertelement <2 x half> %[[VEC5]], half %[[A3:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast <2 x half> %[[VEC6]] to i32
// CHECK-NEXT: %[[VEC7:\w+]] = insertelement <2 x half> poison, half %[[A6:\w+]], i32 0
// CHECK-NEXT: %[[VEC8:\w+]] = insertelement <2 x half> %[[VEC7]], half %[[A7:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast <2 x half> %[[VEC8]] to i32
// CHECK-NEXT: %[[VEC9:\w+]] = insertelement <2 x half> poison, half %[[B0:\w+]], i32 0
// CHECK-NEXT: %[[VEC10:\w+]] = insertelement <2 x half> %[[VEC9]], half %[[B1:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast <2 x half> %[[VEC10]] to i32
// CHECK-NEXT: %[[VEC11:\w+]] = insertelement <2 x half> poison, half %[[B2:\w+]], i32 0
// CHECK-NEXT: %[[VEC12:\w+]] = insertelement <2 x half> %[[VEC11]], half %[[B3:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST6:\w+]] = bitcast <2 x half> %[[VEC12]] to i32
// CHECK-NEXT: %[[VEC13:\w+]] = insertelement <2 x half> poison, half %[[C0:\w+]], i32 0
// CHECK-NEXT: %[[VEC14:\w+]] = insertelement <2 x half> %[[VEC13]], half %[[C1:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST7:\w+]] = bitcast <2 x half> %[[VEC14]] to i32
// CHECK-NEXT: %[[VEC15:\w+]] = insertelement <2 x half> poison, half %[[C2:\w+]], i32 0
// CHECK-NEXT: %[[VEC16:\w+]] = insertelement <2 x half> %[[VEC15]], half %[[C3:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST8:\w+]] = bitcast <2 x half> %[[VEC16]] to i32
// CHECK-NEXT: %[[ASM1:\w+]] = call { i32, i32 } asm "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {$0, $1}, {$2, $3, $4, $5}, {$6, $7}, {$0, $1};", "=r,=r,r,r,r,r,r,r,0,1"(i32 %[[BITCAST1]], i32 %[[BITCAST3]], i32 %[[BITCAST2]], i32 %[[BITCAST4]], i32 %[[BITCAST5]], i32 %[[BITCAST6]], i32 %[[BITCAST7]], i32 %[[BITCAST8]]) convergent
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i32 } %[[ASM1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { i32, i32 } %[[ASM1]], 1
// CHECK-NEXT: %[[BITCAST9:\w+]] = bitcast i32 %[[PART1]] to <2 x half>
// CHECK-NEXT: %[[D0:\w+]] = extractelement <2 x half> %[[BITCAST9]], i32 0
// CHECK-NEXT: %[[D1:\w+]] = extractelement <2 x half> %[[BITCAST9]], i32 1
// CHECK-NEXT: %[[BITCAST10:\w+]] = bitcast i32 %[[PART2]] to <2 x half>
// CHECK-NEXT: %[[D2:\w+]] = extractelement <2 x half> %[[BITCAST10]], i32 0
// CHECK-NEXT: %[[D3:\w+]] = extractelement <2 x half> %[[BITCAST10]], i32 1
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @packed_accumulators(%a_ptr: !tt.ptr<f16>, %b_ptr: !tt.ptr<f16>, %c_ptr: !tt.ptr<f16>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>, #a>
    %a = tt.load %a_ptrs : tensor<16x16x!tt.ptr<f16>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f16> -> tensor<16x8x!tt.ptr<f16>, #bb>
    %b = tt.load %b_ptrs : tensor<16x8x!tt.ptr<f16>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f16> -> tensor<16x8x!tt.ptr<f16>, #mma>
    %c = tt.load %c_ptrs : tensor<16x8x!tt.ptr<f16>, #mma>
    %d = tt.dot %a, %b, %c : tensor<16x16xf16, #a> * tensor<16x8xf16, #bb> -> tensor<16x8xf16, #mma>
    tt.return
  }
}

// -----

// On sm_80, f64 has eight rows per instruction, so upper and lower row are one instruction each.
// CHECK-LABEL: define {{.*}} @f64(
// CHECK: %[[ASM1:\w+]] = call { double, double } asm "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0, $1}, {$2}, {$3}, {$0, $1};", "=d,=d,d,d,0,1"(double %[[A0:\w+]], double %[[B0:\w+]], double %[[C0:\w+]], double %[[C1:\w+]]) convergent
// CHECK-NEXT: %[[D0:\w+]] = extractvalue { double, double } %[[ASM1]], 0
// CHECK-NEXT: %[[D1:\w+]] = extractvalue { double, double } %[[ASM1]], 1
// CHECK-NEXT: %[[ASM2:\w+]] = call { double, double } asm "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0, $1}, {$2}, {$3}, {$0, $1};", "=d,=d,d,d,0,1"(double %[[A1:\w+]], double %[[B0]], double %[[C2:\w+]], double %[[C3:\w+]]) convergent
// CHECK-NEXT: %[[D2:\w+]] = extractvalue { double, double } %[[ASM2]], 0
// CHECK-NEXT: %[[D3:\w+]] = extractvalue { double, double } %[[ASM2]], 1
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 1}>
#bb = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f64(%a_ptr: !tt.ptr<f64>, %b_ptr: !tt.ptr<f64>, %c_ptr: !tt.ptr<f64>) {
    %a_ptrs = tt.splat %a_ptr : !tt.ptr<f64> -> tensor<16x4x!tt.ptr<f64>, #a>
    %a = tt.load %a_ptrs : tensor<16x4x!tt.ptr<f64>, #a>
    %b_ptrs = tt.splat %b_ptr : !tt.ptr<f64> -> tensor<4x8x!tt.ptr<f64>, #bb>
    %b = tt.load %b_ptrs : tensor<4x8x!tt.ptr<f64>, #bb>
    %c_ptrs = tt.splat %c_ptr : !tt.ptr<f64> -> tensor<16x8x!tt.ptr<f64>, #mma>
    %c = tt.load %c_ptrs : tensor<16x8x!tt.ptr<f64>, #mma>
    %d = tt.dot %a, %b, %c : tensor<16x4xf64, #a> * tensor<4x8xf64, #bb> -> tensor<16x8xf64, #mma>
    tt.return
  }
}
