// RUN: weft opt %s -p tritongpu-allocate-warp-groups --split-input-file | filecheck %s

// Without partitions only the default warps run.
// CHECK: "ttg.total-num-warps" = 4 : i32
// CHECK-LABEL: @plain
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @plain() {
    tt.return
  }
}

// -----

// The warps of partitions are filled up to a warp group; larger partitions come first.
// CHECK: "ttg.total-num-warps" = 12 : i32
// CHECK-LABEL: @padded
// CHECK: ttg.warp_specialize(){{.*}}warpGroupStartIds = array<i32: 8, 4, 10, 11>
// CHECK: partition0() num_warps(2)
// CHECK: partition1() num_warps(4)
// CHECK: partition2() num_warps(1)
// CHECK: partition3() num_warps(1)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @padded() {
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    }
    partition0() num_warps(2) {
      ttg.warp_return
    }
    partition1() num_warps(4) {
      ttg.warp_return
    }
    partition2() num_warps(1) {
      ttg.warp_return
    } : () -> ()
    tt.return
  }
}

// -----

// The warp group of the partitions gets the most that one of them requests. The default region
// gets the rest.
// CHECK: ttg.maxnreg = 256 : i32
// CHECK: "ttg.total-num-warps" = 8 : i32
// CHECK-LABEL: @registers
// CHECK: actualRegisters = array<i32: 424, 88, 88, 88>
// CHECK: requestedRegisters = array<i32: 24, 88, 16>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @registers(%x: i32) {
    ttg.warp_specialize(%x) attributes {requestedRegisters = array<i32: 24, 88>}
    default {
      ttg.warp_yield
    }
    partition0(%a: i32) num_warps(1) {
      ttg.warp_return
    }
    partition1(%a: i32) num_warps(2) {
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}
