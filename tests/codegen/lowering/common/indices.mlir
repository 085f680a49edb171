// RUN: %lower %s | filecheck %s

// The warp's bits continue where the lane's end, so the thread's part is its index times 4. Register
// r adds the constant r.
// CHECK-LABEL: define {{.*}} @thread_times_four(
// CHECK: %[[R0:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 2
// CHECK: %[[R1:\w+]] = or disjoint i32 %[[R0]], 1
// CHECK-NEXT: %[[R2:\w+]] = or disjoint i32 %[[R0]], 2
// CHECK-NEXT: %[[R3:\w+]] = or disjoint i32 %[[R0]], 3
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @thread_times_four() {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
    tt.return
  }
}

// -----

// Lane, warp and CTA contribute separately; the range starts at 64.
// CHECK-LABEL: define {{.*}} @offset_range(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 6
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[IN2:\w+]], %[[SHL1]]
// CHECK: %[[R:\w+]] = add nuw nsw i32 %[[OR1]], 64
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @offset_range() {
    %r = tt.make_range {start = 64 : i32, end = 192 : i32} : tensor<128xi32, #b>
    tt.return
  }
}
