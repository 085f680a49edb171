// RUN: %lower %s | filecheck %s

// Each lane holds a row of its warp's 32: one instruction of four columns, and a wait.
// CHECK-LABEL: define {{.*}} @f32(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 21
// CHECK: %[[ADD1:\w+]] = add i32 %[[A:\w+]], %[[SHL1]]
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[X0:\w+]] to i32
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast float %[[X1:\w+]] to i32
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[X2:\w+]] to i32
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast float %[[X3:\w+]] to i32
// CHECK-NEXT: call void asm sideeffect "@$5 tcgen05.st.sync.aligned.32x32b.x4.b32 [$0], {$1, $2, $3, $4};", "r,r,r,r,r,b,~{memory}"(i32 %[[ADD1]], i32 %[[BITCAST1]], i32 %[[BITCAST2]], i32 %[[BITCAST3]], i32 %[[BITCAST4]], i1 %arg0)
// CHECK-NEXT: call void asm sideeffect "tcgen05.wait::st.sync.aligned;", "~{memory}"()
// CHECK-NEXT: %[[ASM1:\w+]] = call { i32, i32, i32, i32 } asm sideeffect "tcgen05.ld.sync.aligned.32x32b.x4.b32 {$0, $1, $2, $3}, [$4]; tcgen05.wait::ld.sync.aligned;", "=r,=r,=r,=r,r,~{memory}"(i32 %[[ADD1]]) convergent
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 1
// CHECK-NEXT: %[[PART3:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 2
// CHECK-NEXT: %[[PART4:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 3
// CHECK-NEXT: %[[Y0:\w+]] = bitcast i32 %[[PART1]] to float
// CHECK-NEXT: %[[Y1:\w+]] = bitcast i32 %[[PART2]] to float
// CHECK-NEXT: %[[Y2:\w+]] = bitcast i32 %[[PART3]] to float
// CHECK-NEXT: %[[Y3:\w+]] = bitcast i32 %[[PART4]] to float
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 4, colStride = 1>
#l = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f32(%p: i1, %x_ptr: !tt.ptr<f32>) {
    %a = ttng.tmem_alloc : () -> !ttg.memdesc<128x4xf32, #t, #ttng.tensor_memory, mutable>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<128x4x!tt.ptr<f32>, #l>
    %x = tt.load %x_ptrs : tensor<128x4x!tt.ptr<f32>, #l>
    ttng.tmem_store %x, %a, %p : tensor<128x4xf32, #l> -> !ttg.memdesc<128x4xf32, #t, #ttng.tensor_memory, mutable>
    %y = ttng.tmem_load %a : !ttg.memdesc<128x4xf32, #t, #ttng.tensor_memory, mutable> -> tensor<128x4xf32, #l>
    tt.return
  }
}

// -----

// Elements of 16 bits are packed in pairs.
// CHECK-LABEL: define {{.*}} @packed(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 21
// CHECK: %[[ADD1:\w+]] = add i32 %[[A:\w+]], %[[SHL1]]
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast half %[[X0:\w+]] to i16
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast half %[[X1:\w+]] to i16
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <2 x i16> poison, i16 %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x i16> %[[VEC1]], i16 %[[BITCAST2]], i32 1
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast <2 x i16> %[[VEC2]] to i32
// CHECK: %[[VEC3:\w+]] = insertelement <2 x i16> poison, i16 %[[IN2:\w+]], i32 0
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <2 x i16> %[[VEC3]], i16 %[[IN3:\w+]], i32 1
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast <2 x i16> %[[VEC4]] to i32
// CHECK: call void asm sideeffect "tcgen05.st.sync.aligned.32x32b.x4.b32 [$0], {$1, $2, $3, $4};", "r,r,r,r,r,~{memory}"(i32 %[[ADD1]], i32 %[[BITCAST3]], i32 %[[BITCAST4]], i32 %[[IN4:\w+]], i32 %[[IN5:\w+]])
// CHECK-NEXT: call void asm sideeffect "tcgen05.wait::st.sync.aligned;", "~{memory}"()
// CHECK-NEXT: %[[ASM1:\w+]] = call { i32, i32, i32, i32 } asm sideeffect "tcgen05.ld.sync.aligned.32x32b.x4.b32 {$0, $1, $2, $3}, [$4]; tcgen05.wait::ld.sync.aligned;", "=r,=r,=r,=r,r,~{memory}"(i32 %[[ADD1]]) convergent
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 1
// CHECK: %[[BITCAST5:\w+]] = bitcast i32 %[[PART1]] to <2 x half>
// CHECK-NEXT: %[[Y0:\w+]] = extractelement <2 x half> %[[BITCAST5]], i32 0
// CHECK-NEXT: %[[Y1:\w+]] = extractelement <2 x half> %[[BITCAST5]], i32 1
// CHECK-NEXT: %[[BITCAST6:\w+]] = bitcast i32 %[[PART2]] to <2 x half>
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 8, colStride = 1>
#l = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @packed(%x_ptr: !tt.ptr<f16>) {
    %true = arith.constant true
    %a = ttng.tmem_alloc : () -> !ttg.memdesc<128x8xf16, #t, #ttng.tensor_memory, mutable>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f16> -> tensor<128x8x!tt.ptr<f16>, #l>
    %x = tt.load %x_ptrs : tensor<128x8x!tt.ptr<f16>, #l>
    ttng.tmem_store %x, %a, %true : tensor<128x8xf16, #l> -> !ttg.memdesc<128x8xf16, #t, #ttng.tensor_memory, mutable>
    %y = ttng.tmem_load %a : !ttg.memdesc<128x8xf16, #t, #ttng.tensor_memory, mutable> -> tensor<128x8xf16, #l>
    tt.return
  }
}

// -----

// Tokens order accesses in the IR, and have no registers: the loop carries none.
// CHECK-LABEL: define {{.*}} @tokens(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 21
// CHECK: br label %for.1
// CHECK-NEXT: for.1:
// CHECK-NEXT: %[[PHI1:\w+]] = phi i32 [ 0, %body ], [ %[[IN2:\w+]], %body.2 ]
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp slt i32 %[[PHI1]], %arg0
// CHECK-NEXT: br i1 %[[ICMP1]], label %body.2, label %done.3
// CHECK-NEXT: body.2:
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[A:\w+]], %[[SHL1]]
// CHECK-NEXT: %[[ASM1:\w+]] = call { i32, i32, i32, i32 } asm sideeffect "tcgen05.ld.sync.aligned.32x32b.x4.b32 {$0, $1, $2, $3}, [$4]; tcgen05.wait::ld.sync.aligned;", "=r,=r,=r,=r,r,~{memory}"(i32 %[[ADD1]]) convergent
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 1
// CHECK-NEXT: %[[PART3:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 2
// CHECK-NEXT: %[[PART4:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 3
// CHECK-NEXT: %[[Y0:\w+]] = bitcast i32 %[[PART1]] to float
// CHECK-NEXT: %[[Y1:\w+]] = bitcast i32 %[[PART2]] to float
// CHECK-NEXT: %[[Y2:\w+]] = bitcast i32 %[[PART3]] to float
// CHECK-NEXT: %[[Y3:\w+]] = bitcast i32 %[[PART4]] to float
// CHECK-NEXT: %[[IN2]] = add i32 %[[PHI1]], 1
// CHECK-NEXT: br label %for.1
// CHECK-NEXT: done.3:
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 4, colStride = 1>
#l = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @tokens(%n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %a, %t = ttng.tmem_alloc : () -> (!ttg.memdesc<128x4xf32, #t, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%token = %t) -> (!ttg.async.token) : i32 {
      %y, %u = ttng.tmem_load %a[%token] : !ttg.memdesc<128x4xf32, #t, #ttng.tensor_memory, mutable> -> tensor<128x4xf32, #l>
      scf.yield %u : !ttg.async.token
    }
    tt.return
  }
}

// -----

// A load that reduces rows: each thread's row in two instructions, whose extremes are combined.
// CHECK-LABEL: define {{.*}} @reduces(
// CHECK: call { {{.*}} } asm sideeffect "tcgen05.ld.red.sync.aligned.32x32b.x128.min.abs.NaN.f32 {$0, {{.*}}, $127}, {$128}, [$129];"
// CHECK: %[[FIRST:\w+]] = bitcast i32 %{{.*}} to float
// CHECK-NEXT: %[[SECOND:\w+]] = bitcast i32 %{{.*}} to float
// CHECK-NEXT: call float @llvm.minimum.f32(float %[[FIRST]], float %[[SECOND]])
// CHECK: asm sideeffect "tcgen05.ld.red.sync.aligned.32x32b.x128.max.f32 {$0, {{.*}}, $127}, {$128}, [$129];"
// CHECK: call float @llvm.maxnum.f32(
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1>
#l = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:103", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @reduces() {
    %a = ttng.tmem_alloc : () -> !ttg.memdesc<128x256xf32, #t, #ttng.tensor_memory, mutable>
    %y:2 = ttng.tmem_load %a {NaN = true, abs = true, redOp = #ttng.redOp<min>} : !ttg.memdesc<128x256xf32, #t, #ttng.tensor_memory, mutable> -> tensor<128x256xf32, #l>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #l}>>
    %z:2 = ttng.tmem_load %a {redOp = #ttng.redOp<max>} : !ttg.memdesc<128x256xf32, #t, #ttng.tensor_memory, mutable> -> tensor<128x256xf32, #l>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #l}>>
    tt.return
  }
}
