// RUN: weft opt %s -p triton-licm | filecheck %s

// CHECK-LABEL: @hoist
// CHECK: %[[X:.*]] = arith.addi %arg1, %arg0 : i32
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %arg0 : i32
// CHECK-NEXT: %[[ALL:.*]] = tt.splat %[[RUNS]] : i1 -> tensor<4xi1>
// CHECK-NEXT: %[[MASK:.*]] = arith.andi %[[ALL]], %arg3 : tensor<4xi1>
// CHECK-NEXT: tt.load %arg2, %[[MASK]] : tensor<4x!tt.ptr<i32>>
// CHECK: scf.for
// CHECK-NEXT: arith.divsi
// CHECK-NOT: tt.load
tt.func public @hoist(%n: i32, %m: i32, %p: tensor<4x!tt.ptr<i32>>, %mask: tensor<4xi1>, %z: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (tensor<4xi32>) : i32 {
    %x = arith.addi %m, %n : i32
    %d = arith.divsi %x, %m : i32
    %l = tt.load %p, %mask : tensor<4x!tt.ptr<i32>>
    %s = tt.splat %d : i32 -> tensor<4xi32>
    %t = arith.addi %s, %l : tensor<4xi32>
    %u = arith.addi %a, %t : tensor<4xi32>
    scf.yield %u : tensor<4xi32>
  }
  tt.return %0 : tensor<4xi32>
}

// A loop that writes keeps its loads.
// CHECK-LABEL: @writes
// CHECK: scf.for
// CHECK: tt.load
tt.func public @writes(%n: i32, %p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %l = tt.load %p : !tt.ptr<i32>
    tt.store %q, %l : !tt.ptr<i32>
  }
  tt.return
}

// The mask of an unsigned loop compares unsigned.
// CHECK-LABEL: @unsigned
// CHECK: arith.cmpi ult
// CHECK-NEXT: tt.load
// CHECK: scf.for unsigned
tt.func public @unsigned(%n: i32, %p: !tt.ptr<i32>) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for unsigned %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
    %l = tt.load %p : !tt.ptr<i32>
    %s = arith.addi %a, %l : i32
    scf.yield %s : i32
  }
  tt.return %0 : i32
}

// An allocation stays in the loop, so that its buffer is live there only.
// CHECK-LABEL: @allocation
// CHECK: scf.for
// CHECK-NEXT: ttg.local_alloc
// CHECK-NEXT: ttg.memdesc_trans
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#row_major = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#column_major = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @allocation(%n: i32, %x: tensor<64x64xf16, #rows>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %m = ttg.local_alloc %x : (tensor<64x64xf16, #rows>) -> !ttg.memdesc<64x64xf16, #row_major, #smem>
      %t = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #row_major, #smem> -> !ttg.memdesc<64x64xf16, #column_major, #smem>
      ttg.local_dealloc %t : !ttg.memdesc<64x64xf16, #column_major, #smem>
    }
    tt.return
  }
}
