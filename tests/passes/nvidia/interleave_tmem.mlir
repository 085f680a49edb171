// RUN: weft opt %s -p triton-nvidia-interleave-tmem | filecheck %s

#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// A load sinks to its first user, below a store to another buffer.
// CHECK-LABEL: @late
// CHECK: ttng.tmem_store %arg2, %{{.*}}
// CHECK: %[[P:.*]] = arith.addf %arg2, %arg2
// CHECK-NEXT: %[[X:.*]] = ttng.tmem_load
// CHECK-NEXT: arith.addf %[[X]], %[[P]]
tt.func public @late(%p: i1, %z: tensor<128x64xf32, #linear>, %y: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %m = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %n = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  ttng.tmem_store %z, %m, %p : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  ttng.tmem_store %y, %n, %p : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %q = arith.addf %y, %y : tensor<128x64xf32, #linear>
  %r = arith.addf %x, %q : tensor<128x64xf32, #linear>
  %s = arith.addf %r, %r : tensor<128x64xf32, #linear>
  tt.return %s : tensor<128x64xf32, #linear>
}

// A store to the same buffer stops it; one to other columns does not.
// CHECK-LABEL: @same
// CHECK: ttng.tmem_load
// CHECK-NEXT: ttng.tmem_store
// CHECK-NEXT: arith.addf
tt.func public @same(%p: i1, %z: tensor<128x64xf32, #linear>) -> tensor<128x64xf32, #linear> {
  %m = ttng.tmem_alloc : () -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  ttng.tmem_store %z, %m, %p : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  %q = arith.addf %z, %z : tensor<128x64xf32, #linear>
  %r = arith.addf %x, %q : tensor<128x64xf32, #linear>
  tt.return %r : tensor<128x64xf32, #linear>
}

// A load stays above a barrier and above assembly with effects.
// CHECK-LABEL: @ordered
// CHECK: ttng.tmem_load
// CHECK-NEXT: ttg.barrier all
// CHECK-NEXT: tt.elementwise_inline_asm {{.*}}pure = true
// CHECK-NEXT: ttng.tmem_load
// CHECK-NEXT: tt.elementwise_inline_asm {{.*}}pure = false
// CHECK-NEXT: arith.addf
tt.func public @ordered(%m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>, %i: i32) -> (tensor<128x64xf32, #linear>, i32, i32) {
  %x = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  ttg.barrier all
  %y = ttng.tmem_load %m : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
  %a = tt.elementwise_inline_asm "s $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : i32 -> i32
  %b = tt.elementwise_inline_asm "s $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %i : i32 -> i32
  %r = arith.addf %x, %y : tensor<128x64xf32, #linear>
  tt.return %r, %a, %b : tensor<128x64xf32, #linear>, i32, i32
}

// Two partitions capture one allocation; a load sinks below a store to the other buffer of it.
// CHECK-LABEL: @captured
// CHECK: partition0
// CHECK: ttng.tmem_store
// CHECK-NEXT: %[[X:.*]] = ttng.tmem_load
// CHECK-NEXT: arith.addf %[[X]]
tt.func public @captured(%p: i1) {
  %m = ttng.tmem_alloc : () -> !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable>
  ttg.warp_specialize(%p, %m)
  default {
    ttg.warp_yield
  }
  partition0(%q: i1, %n: !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable>) num_warps(4) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant dense<0.0> : tensor<128x64xf32, #linear>
    %a = ttg.memdesc_index %n[%c0] : !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %b = ttg.memdesc_index %n[%c1] : !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %x = ttng.tmem_load %a : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear>
    ttng.tmem_store %z, %b, %q : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    %y = arith.addf %x, %z : tensor<128x64xf32, #linear>
    ttng.tmem_store %y, %a, %q : tensor<128x64xf32, #linear> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    ttg.warp_return
  } : (i1, !ttg.memdesc<2x128x64xf32, #tmem, #ttng.tensor_memory, mutable>) -> ()
  tt.return
}
}
