// RUN: weft opt %s -p tritongpu-optimize-partition-warps | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#linear8 = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [0, 32]], block = []}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
// Scalars need one warp and few registers; a large tensor keeps its warps.
// CHECK-LABEL: @partitions
// CHECK: requestedRegisters = array<i32: 24, 88>
// CHECK: partition0(%{{.*}}) num_warps(1)
// CHECK: partition1(%{{.*}}) num_warps(4)
tt.func public @partitions(%p: !tt.ptr<f32>) {
  ttg.warp_specialize(%p)
  default {
    ttg.warp_yield
  }
  partition0(%q: !tt.ptr<f32>) num_warps(4) {
    %x = tt.load %q : !tt.ptr<f32>
    tt.store %q, %x : !tt.ptr<f32>
    ttg.warp_return
  }
  partition1(%q: !tt.ptr<f32>) num_warps(4) {
    %s = tt.splat %q : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>, #blocked>
    %x = tt.load %s : tensor<65536x!tt.ptr<f32>, #blocked>
    tt.store %s, %x : tensor<65536x!tt.ptr<f32>, #blocked>
    ttg.warp_return
  } : (!tt.ptr<f32>) -> ()
  tt.return
}

// A small tensor fits into the registers of one warp; it gets a new layout. The largest tensor of
// partition1 needs four warps, and those of partition2 are for TMEM.
// CHECK-LABEL: @tensors
// CHECK: requestedRegisters = array<i32: 88, 88, 88>
// CHECK: partition0(%{{.*}}) num_warps(1)
// CHECK: tt.make_range {{.*}} : tensor<128xi32, #[[ONE:.*]]>
// CHECK: tt.store %{{.*}} : tensor<128x!tt.ptr<f32>, #[[ONE]]>
// CHECK: partition1(%{{.*}}) num_warps(4)
// CHECK: tt.load %{{.*}} : tensor<16384x!tt.ptr<f32>, #blocked{{[0-9]*}}>
// CHECK: partition2(%{{.*}}) num_warps(4)
// CHECK: ttng.tmem_load %{{.*}} -> tensor<128x64xf32, #linear>
tt.func public @tensors(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  ttg.warp_specialize(%p, %m)
  default {
    ttg.warp_yield
  }
  partition0(%q: !tt.ptr<f32>, %t: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) num_warps(4) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
    %s = tt.splat %q : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #blocked>
    %a = tt.addptr %s, %r : tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xi32, #blocked>
    %x = tt.load %a : tensor<128x!tt.ptr<f32>, #blocked>
    tt.store %a, %x : tensor<128x!tt.ptr<f32>, #blocked>
    ttg.warp_return
  }
  partition1(%q: !tt.ptr<f32>, %t: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) num_warps(4) {
    %s = tt.splat %q : !tt.ptr<f32> -> tensor<16384x!tt.ptr<f32>, #blocked>
    %x = tt.load %s : tensor<16384x!tt.ptr<f32>, #blocked>
    tt.store %s, %x : tensor<16384x!tt.ptr<f32>, #blocked>
    ttg.warp_return
  }
  partition2(%q: !tt.ptr<f32>, %t: !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) num_warps(8) {
    %true = arith.constant true
    %x = ttng.tmem_load %t : !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x64xf32, #linear8>
    %y = arith.addf %x, %x : tensor<128x64xf32, #linear8>
    ttng.tmem_store %y, %t, %true : tensor<128x64xf32, #linear8> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>
    ttg.warp_return
  } : (!tt.ptr<f32>, !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>) -> ()
  tt.return
}
}
