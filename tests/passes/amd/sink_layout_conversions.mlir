// RUN: weft opt %s -p tritonamdgpu-sink-layout-conversions | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [2, 2], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// Conversions sink below the last local_dealloc before their first user, or below the last one of
// the block if they have no user.
// CHECK-LABEL: @behind_buffers
// CHECK: ttg.local_alloc
// CHECK-NEXT: ttg.local_alloc
// CHECK-NEXT: ttg.local_dealloc
// CHECK-NEXT: %[[D:.*]] = ttg.convert_layout
// CHECK-NEXT: scf.if
// CHECK-NEXT: tt.store %{{.*}}, %[[D]]
// CHECK: ttg.local_dealloc
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: %[[B:.*]] = ttg.convert_layout
// CHECK-NEXT: tt.store %{{.*}}, %[[B]]
tt.func public @behind_buffers(%a: tensor<64x64xf32, #blocked>, %c: i1, %p: tensor<64x64x!tt.ptr<f32>, #blocked1>) {
  %m = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
  %n = ttg.local_alloc : () -> !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
  %b = ttg.convert_layout %a : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #blocked1>
  %d = ttg.convert_layout %a : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #blocked1>
  %u = ttg.convert_layout %a : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #blocked1>
  ttg.local_dealloc %m : !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
  scf.if %c {
    tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #blocked1>
  }
  ttg.local_dealloc %n : !ttg.memdesc<64x64xf32, #shared, #smem, mutable>
  tt.store %p, %b : tensor<64x64x!tt.ptr<f32>, #blocked1>
  tt.return
}
}
