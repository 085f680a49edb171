// RUN: weft opt %s -p tritonamdgpu-hoist-layout-conversions | filecheck %s

#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// A value loaded before the loop is converted right after the load. A value computed in the outer
// loop is converted there, outside of the inner loop.
// CHECK-LABEL: @before_loop
// CHECK: tt.load
// CHECK-NEXT: ttg.convert_layout
// CHECK: scf.for
// CHECK: %[[Y:.*]] = tt.load
// CHECK-NEXT: ttg.convert_layout %[[Y]]
// CHECK-NEXT: scf.for
tt.func public @before_loop(%p: tensor<128x64x!tt.ptr<f16>, #blocked>, %q: tensor<128x64x!tt.ptr<f16>, #a>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
    scf.for %j = %c0 to %n step %c1 : i32 {
      %b = ttg.convert_layout %y : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
      tt.store %q, %a : tensor<128x64x!tt.ptr<f16>, #a>
      tt.store %q, %b : tensor<128x64x!tt.ptr<f16>, #a>
    }
  }
  tt.return
}

// Values of the loop, arguments, and values that are no dot operands stay.
// CHECK-LABEL: @stays
// CHECK: scf.for
// CHECK: tt.load
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: ttg.convert_layout
tt.func public @stays(%p: tensor<128x64x!tt.ptr<f16>, #blocked>, %given: tensor<128x64xf16, #blocked>, %q: tensor<128x64x!tt.ptr<f16>, #a>, %m: tensor<128x64x!tt.ptr<f16>, #mma>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %before = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = tt.load %p : tensor<128x64x!tt.ptr<f16>, #blocked>
    %a = ttg.convert_layout %y : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
    %b = ttg.convert_layout %given : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
    %c = ttg.convert_layout %before : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #mma>
    tt.store %q, %a : tensor<128x64x!tt.ptr<f16>, #a>
    tt.store %q, %b : tensor<128x64x!tt.ptr<f16>, #a>
    tt.store %m, %c : tensor<128x64x!tt.ptr<f16>, #mma>
  }
  tt.return
}
}
