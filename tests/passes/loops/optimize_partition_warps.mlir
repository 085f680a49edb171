// RUN: weft opt %s -p tritongpu-optimize-partition-warps | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
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
}
