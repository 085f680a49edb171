// RUN: %lower %s | filecheck %s

// An address has the row in its upper half. The second buffer starts 32 columns later, a slice at
// its first column, and each warp at its 32 rows.
// CHECK-LABEL: define {{.*}} @index_and_slice(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 21
// CHECK: %[[MUL1:\w+]] = mul i32 %arg0, 32
// CHECK-NEXT: %[[B:\w+]] = add i32 %[[A:\w+]], %[[MUL1]]
// CHECK-NEXT: %[[C:\w+]] = add i32 %[[B]], 8
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[C]], %[[SHL1]]
// CHECK-NEXT: %[[ASM1:\w+]] = call { i32, i32, i32, i32 } asm sideeffect "tcgen05.ld.sync.aligned.32x32b.x4.b32 {$0, $1, $2, $3}, [$4]; tcgen05.wait::ld.sync.aligned;", "=r,=r,=r,=r,r,~{memory}"(i32 %[[ADD1]]) convergent
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 1
// CHECK-NEXT: %[[PART3:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 2
// CHECK-NEXT: %[[PART4:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 3
// CHECK-NEXT: %[[X0:\w+]] = bitcast i32 %[[PART1]] to float
// CHECK-NEXT: %[[X1:\w+]] = bitcast i32 %[[PART2]] to float
// CHECK-NEXT: %[[X2:\w+]] = bitcast i32 %[[PART3]] to float
// CHECK-NEXT: %[[X3:\w+]] = bitcast i32 %[[PART4]] to float
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
#u = #ttng.tensor_memory_encoding<blockM = 128, blockN = 4, colStride = 1>
#l = #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @index_and_slice(%i: i32) {
    %a = ttng.tmem_alloc : () -> !ttg.memdesc<2x128x32xf32, #t, #ttng.tensor_memory, mutable>
    %b = ttg.memdesc_index %a[%i] : !ttg.memdesc<2x128x32xf32, #t, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable>
    %c = ttng.tmem_subslice %b {N = 8 : i32} : !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x4xf32, #u, #ttng.tensor_memory, mutable, 128x32>
    %x = ttng.tmem_load %c : !ttg.memdesc<128x4xf32, #u, #ttng.tensor_memory, mutable, 128x32> -> tensor<128x4xf32, #l>
    tt.return
  }
}
