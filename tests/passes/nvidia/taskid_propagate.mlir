// RUN: weft opt %s -p nvgpu-test-taskid-propagate{num-warp-groups=2} | filecheck %s

// What both stores are computed from belongs to both tasks.
// CHECK-LABEL: @two_stores
// CHECK: %[[R:.*]] = tt.make_range {async_task_id = array<i32: 0, 1>, end = 128
// CHECK: tt.addptr {{.*}} {async_task_id = array<i32: 0>}
// CHECK: arith.muli {{.*}} {async_task_id = array<i32: 1>}
// CHECK: tt.addptr {{.*}} {async_task_id = array<i32: 1>}
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
tt.func public @two_stores(%p: tensor<128x!tt.ptr<i32>, #blocked>) {
  %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
  %1 = tt.addptr %p, %0 : tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>
  tt.store %1, %0 {async_task_id = array<i32: 0>} : tensor<128x!tt.ptr<i32>, #blocked>
  %2 = arith.muli %0, %0 : tensor<128xi32, #blocked>
  %3 = tt.addptr %p, %2 : tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>
  tt.store %3, %2 {async_task_id = array<i32: 1>} : tensor<128x!tt.ptr<i32>, #blocked>
  tt.return
}
}
