// RUN: %lower %s | filecheck %s

// A slice names registers, and writes no instruction: rows 8 to 15, columns 0 to 15 are registers 4
// and 5 of eight.
// CHECK-LABEL: define {{.*}} @extract_slice(
// CHECK: %[[Z0:\w+]] = fadd contract float %[[X4:\w+]], %[[X4]]
// CHECK-NEXT: %[[Z1:\w+]] = fadd contract float %[[X5:\w+]], %[[X5]]
#big = #ttg.linear<{register = [[4, 0], [0, 16], [8, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [], block = []}>
#part = #ttg.linear<{register = [[4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @extract_slice(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>, #big>
    %x = tt.load %x_ptrs : tensor<16x32x!tt.ptr<f32>, #big>
    %y = amdg.extract_slice %x [8, 0] : tensor<16x32xf32, #big> to tensor<8x16xf32, #part>
    %z = arith.addf %y, %y : tensor<8x16xf32, #part>
    tt.return
  }
}

// -----

// Parts are concatenated in row-major order of the tiles: 0 and 1 are beside each other.
// CHECK-LABEL: define {{.*}} @concat(
// CHECK: %[[Z0:\w+]] = fadd contract float %[[X0:\w+]], %[[X0]]
// CHECK-NEXT: %[[Z1:\w+]] = fadd contract float %[[X1:\w+]], %[[X1]]
// CHECK-NEXT: %[[Z2:\w+]] = fadd contract float %[[Y0:\w+]], %[[Y0]]
// CHECK-NEXT: %[[Z3:\w+]] = fadd contract float %[[Y1:\w+]], %[[Y1]]
#big = #ttg.linear<{register = [[4, 0], [0, 16]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [], block = []}>
#part = #ttg.linear<{register = [[4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @concat(%x_ptr: !tt.ptr<f32>, %y_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>, #part>
    %x = tt.load %x_ptrs : tensor<8x16x!tt.ptr<f32>, #part>
    %y_ptrs = tt.splat %y_ptr : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>, #part>
    %y = tt.load %y_ptrs : tensor<8x16x!tt.ptr<f32>, #part>
    %xy = amdg.concat %x, %y : tensor<8x16xf32, #part>, tensor<8x16xf32, #part> -> tensor<8x32xf32, #big>
    %z = arith.addf %xy, %xy : tensor<8x32xf32, #big>
    tt.return
  }
}
