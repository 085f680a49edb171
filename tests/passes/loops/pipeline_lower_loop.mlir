// RUN: weft opt %s -p tritongpu-test-pipeline-lower-loop --allow-unregistered-dialect | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
// The load of stage 0 becomes a copy to one of two buffers, which its user of stage 2 reads. The
// loop is not expanded.
// CHECK-LABEL: @copy
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x128x32xf16
// CHECK: scf.for
// CHECK: %[[T:.*]] = ttg.async_copy_global_to_local {{.*}}loop.stage = 0 : i32
// CHECK-NEXT: %[[G:.*]] = ttg.async_commit_group tokens %[[T]]
// CHECK: %[[W:.*]] = ttg.async_wait %[[G]] {{.*}}loop.stage = 2 : i32
// CHECK: %[[L:.*]] = ttg.local_load {{.*}} token %[[W]]
// CHECK-NEXT: "test.use"(%[[L]])
// CHECK: } {tt.scheduled_max_stage = 2 : i32}
tt.func @copy(%n: i32, %p: tensor<128x32x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 16]> : tensor<2xi32>, tt.divisibility = dense<[16, 16]> : tensor<2xi32>}) {
  scf.for %i = %n to %n step %n : i32 {
    %a = tt.load %p {loop.cluster = 2 : i32, loop.stage = 0 : i32} : tensor<128x32x!tt.ptr<f16>, #blocked>
    "test.use"(%a) {loop.cluster = 0 : i32, loop.stage = 2 : i32} : (tensor<128x32xf16, #blocked>) -> ()
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return
}
}
