// RUN: weft opt %s -p 'tritonamdgpu-optimize-dot-operands{arch-generation-name=gfx950}' --split-input-file | filecheck %s

// A scale that the loop loads is written to shared memory and read back.
// CHECK: #[[S:shared]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-LABEL: @in_a_loop
// CHECK: scf.for
// CHECK: %[[L:.*]] = tt.load
// CHECK-NEXT: %[[B:.*]] = ttg.local_alloc %[[L]] : {{.*}} -> !ttg.memdesc<64x64xbf16, #[[S]], #smem>
// CHECK-NEXT: %[[R:.*]] = ttg.local_load %[[B]] : {{.*}} -> tensor<64x64xbf16, #blocked1>
// CHECK-NEXT: %[[V:.*]] = arith.mulf %[[R]], %[[R]]
// CHECK-NEXT: amdg.scaled_upcast_fp8 %arg1 scale %[[V]]
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @in_a_loop(%p: tensor<64x64x!tt.ptr<bf16>, #blocked>, %x: tensor<64x64xf8E4M3FN, #blocked1>, %n: i32, %o: tensor<64x64x!tt.ptr<bf16>, #blocked1>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #blocked>
      %t = ttg.convert_layout %s : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #blocked1>
      %v = arith.mulf %t, %t : tensor<64x64xbf16, #blocked1>
      %u = amdg.scaled_upcast_fp8 %x scale %v : tensor<64x64xf8E4M3FN, #blocked1>, tensor<64x64xbf16, #blocked1> -> tensor<64x64xbf16, #blocked1>
      tt.store %o, %u : tensor<64x64x!tt.ptr<bf16>, #blocked1>
    }
    tt.return
  }
}

// -----

// The operand depends on two loads: it stays.
// CHECK-LABEL: @two_loads
// CHECK-NOT: ttg.local_alloc
// CHECK: tt.return
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @two_loads(%p: tensor<64x64x!tt.ptr<bf16>, #blocked>, %x: tensor<64x64xf8E4M3FN, #blocked1>, %n: i32, %o: tensor<64x64x!tt.ptr<bf16>, #blocked1>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %s = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #blocked>
      %t = ttg.convert_layout %s : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #blocked1>
      %l = tt.load %o : tensor<64x64x!tt.ptr<bf16>, #blocked1>
      %v = arith.mulf %t, %l : tensor<64x64xbf16, #blocked1>
      %u = amdg.scaled_upcast_fp8 %x scale %v : tensor<64x64xf8E4M3FN, #blocked1>, tensor<64x64xbf16, #blocked1> -> tensor<64x64xbf16, #blocked1>
      tt.store %o, %u : tensor<64x64x!tt.ptr<bf16>, #blocked1>
    }
    tt.return
  }
}

// -----

// Outside of loops it is not.
// CHECK-LABEL: @once
// CHECK-NOT: ttg.local_alloc
// CHECK: tt.return
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @once(%p: tensor<64x64x!tt.ptr<bf16>, #blocked>, %x: tensor<64x64xf8E4M3FN, #blocked1>, %n: i32, %o: tensor<64x64x!tt.ptr<bf16>, #blocked1>) {
    %s = tt.load %p : tensor<64x64x!tt.ptr<bf16>, #blocked>
    %t = ttg.convert_layout %s : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #blocked1>
    %v = arith.mulf %t, %t : tensor<64x64xbf16, #blocked1>
    %u = amdg.scaled_upcast_fp8 %x scale %v : tensor<64x64xf8E4M3FN, #blocked1>, tensor<64x64xbf16, #blocked1> -> tensor<64x64xbf16, #blocked1>
    tt.store %o, %u : tensor<64x64x!tt.ptr<bf16>, #blocked1>
    tt.return
  }
}

// -----

// Dead conversions are erased.
// CHECK-LABEL: @folded
// CHECK: %[[C:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xbf16, #blocked
// CHECK-NEXT: tt.store %arg3, %[[C]]
// CHECK-NEXT: tt.return
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @folded(%p: tensor<64x64x!tt.ptr<bf16>, #blocked>, %x: tensor<64x64xf8E4M3FN, #blocked1>, %n: i32, %o: tensor<64x64x!tt.ptr<bf16>, #blocked1>) {
    %z = arith.constant dense<0.000000e+00> : tensor<64x64xbf16, #blocked>
    %y = ttg.convert_layout %z : tensor<64x64xbf16, #blocked> -> tensor<64x64xbf16, #blocked1>
    tt.store %o, %y : tensor<64x64x!tt.ptr<bf16>, #blocked1>
    tt.return
  }
}
