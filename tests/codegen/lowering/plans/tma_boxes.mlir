// RUN: %lower %s | filecheck %s

// A row of a box has at most 128 bytes, the width of the swizzle, and a box at most 256 rows: this
// tile is two boxes of columns times two of rows.
// CHECK-LABEL: define {{.*}} @four_boxes(
// CHECK: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[IN1:\w+]], ptr %arg0, i32 %arg2, i32 %arg1, ptr addrspace(3) @shared)
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %arg1, 256
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 32768
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[IN1]], ptr %arg0, i32 %arg2, i32 %[[ADD1]], ptr addrspace(3) %[[PTR1]])
// CHECK-NEXT: %[[ADD2:\w+]] = add i32 %arg2, 64
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 65536
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[IN1]], ptr %arg0, i32 %[[ADD2]], i32 %arg1, ptr addrspace(3) %[[PTR2]])
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 98304
// CHECK-NEXT: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[IN1]], ptr %arg0, i32 %[[ADD2]], i32 %[[ADD1]], ptr addrspace(3) %[[PTR3]])
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @four_boxes(%d: !tt.tensordesc<tensor<512x128xf16, #s>>, %i: i32, %j: i32) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<512x128xf16, #s, #smem, mutable>
    ttng.async_tma_copy_local_to_global %d[%i, %j] %m : !tt.tensordesc<tensor<512x128xf16, #s>>, !ttg.memdesc<512x128xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

// Without swizzle, rows of 128 bytes are one box.
// CHECK-LABEL: define {{.*}} @without_swizzle(
// CHECK: call void asm sideeffect "@$0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [$1, {$2, $3}], [$4];", "b,l,r,r,r,~{memory}"(i1 %[[IN1:\w+]], ptr %arg0, i32 %arg2, i32 %arg1, ptr addrspace(3) @shared)
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @without_swizzle(%d: !tt.tensordesc<tensor<16x64xf16, #s>>, %i: i32, %j: i32) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<16x64xf16, #s, #smem, mutable>
    ttng.async_tma_copy_local_to_global %d[%i, %j] %m : !tt.tensordesc<tensor<16x64xf16, #s>>, !ttg.memdesc<16x64xf16, #s, #smem, mutable>
    tt.return
  }
}
