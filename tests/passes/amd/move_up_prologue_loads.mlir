// RUN: weft opt %s -p tritonamdgpu-move-up-prologue-loads --split-input-file | filecheck %s

// The marked loads move up to their addresses, in order, with the operations that only their masks
// use. A load that the pipeliner did not mark stays.
// CHECK-LABEL: @matmul
// CHECK: %[[A:.*]] = tt.addptr %arg0
// CHECK-NEXT: %[[M:.*]] = tt.splat %arg3 : i1
// CHECK-NEXT: tt.load %[[A]], %[[M]] {amd.pipeliner_part = "prologue"}
// CHECK-NEXT: %[[B:.*]] = tt.addptr %arg1
// CHECK-NEXT: tt.load %[[B]], %[[M]] {amd.pipeliner_part = "prologue"}
// CHECK-NEXT: ttg.local_alloc
// CHECK-NEXT: tt.load %[[A]] : tensor<64x!tt.ptr<f16>
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @matmul(%p: tensor<64x!tt.ptr<f16>, #blocked>, %q: tensor<64x!tt.ptr<f16>, #blocked>, %o: tensor<64xi32, #blocked>, %c: i1) -> (tensor<64xf16, #blocked>, tensor<64xf16, #blocked>, tensor<64xf16, #blocked>) {
    %a = tt.addptr %p, %o : tensor<64x!tt.ptr<f16>, #blocked>, tensor<64xi32, #blocked>
    %b = tt.addptr %q, %o : tensor<64x!tt.ptr<f16>, #blocked>, tensor<64xi32, #blocked>
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<1x64xf16, #shared, #smem, mutable>
    %z = tt.load %a : tensor<64x!tt.ptr<f16>, #blocked>
    %m = tt.splat %c : i1 -> tensor<64xi1, #blocked>
    %x = tt.load %a, %m {amd.pipeliner_part = "prologue"} : tensor<64x!tt.ptr<f16>, #blocked>
    %y = tt.load %b, %m {amd.pipeliner_part = "prologue"} : tensor<64x!tt.ptr<f16>, #blocked>
    ttg.local_dealloc %buffer : !ttg.memdesc<1x64xf16, #shared, #smem, mutable>
    tt.return %x, %y, %z : tensor<64xf16, #blocked>, tensor<64xf16, #blocked>, tensor<64xf16, #blocked>
  }
}

// -----

// Loads do not move over loops and barriers.
// CHECK-LABEL: @behind
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: tt.load %arg0 {amd.pipeliner_part = "prologue"}
// CHECK-NEXT: arith.addi
// CHECK: ttg.barrier
// CHECK-NEXT: tt.load %arg0 {amd.pipeliner_part = "prologue"}
// CHECK-NEXT: arith.muli
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @behind(%p: tensor<64x!tt.ptr<f16>, #blocked>, %n: i32, %l: !tt.ptr<i32>) -> (tensor<64xf16, #blocked>, tensor<64xf16, #blocked>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1  : i32 {
      tt.store %l, %i : !tt.ptr<i32>
    }
    %k = arith.addi %n, %c1 : i32
    %x = tt.load %p {amd.pipeliner_part = "prologue"} : tensor<64x!tt.ptr<f16>, #blocked>
    tt.store %l, %k : !tt.ptr<i32>
    ttg.barrier all
    %m = arith.muli %n, %n : i32
    %y = tt.load %p {amd.pipeliner_part = "prologue"} : tensor<64x!tt.ptr<f16>, #blocked>
    tt.store %l, %m : !tt.ptr<i32>
    tt.return %x, %y : tensor<64xf16, #blocked>, tensor<64xf16, #blocked>
  }
}
