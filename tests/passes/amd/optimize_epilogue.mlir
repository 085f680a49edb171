// RUN: weft opt %s -p 'tritonamdgpu-optimize-epilogue' --split-input-file | filecheck %s

// Pointers and mask are converted instead; operations in between get the layout of the instruction.
// CHECK-LABEL: @store
// CHECK: %[[P:.*]] = ttg.convert_layout %arg1 : {{.*}} -> tensor<64x64x!tt.ptr<f16>, #mma>
// CHECK: %[[M:.*]] = ttg.convert_layout %arg2 : {{.*}} -> tensor<64x64xi1, #mma>
// CHECK: tt.store %[[P]], %{{.*}}, %[[M]] : tensor<64x64x!tt.ptr<f16>, #mma>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @store(%x: tensor<64x64xf32, #mma>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %m: tensor<64x64xi1, #blocked>) {
    %y = ttg.convert_layout %x : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    %z = arith.truncf %y : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
    tt.store %p, %z, %m : tensor<64x64x!tt.ptr<f16>, #blocked>
    tt.return
  }
}

// -----

// gfx950 swaps halves of lanes: eight neighbours in each, 128 bits in a store.
// CHECK: #[[W:linear]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 16]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], warp = {{\[\[}}0, 32], [32, 0]], block = []}>
// CHECK-LABEL: @wide_store
// CHECK: tt.store {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[W]]>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @wide_store(%x: tensor<64x64xf32, #mma>, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %m: tensor<64x64xi1, #blocked>) {
    %y = ttg.convert_layout %x : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    %z = arith.truncf %y : tensor<64x64xf32, #blocked> to tensor<64x64xf16, #blocked>
    tt.store %p, %z, %m : tensor<64x64x!tt.ptr<f16>, #blocked>
    tt.return
  }
}

// -----

// A result in f32 fills 128 bits without.
// CHECK-LABEL: @float_store
// CHECK: tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>, #mma>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 16], isTransposed = true}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @float_store(%x: tensor<64x64xf32, #mma>, %p: tensor<64x64x!tt.ptr<f32>, #blocked>, %m: tensor<64x64xi1, #blocked>) {
    %y = ttg.convert_layout %x : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    tt.store %p, %y, %m : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}

// -----

// Somebody else reads the converted result: it stays.
// CHECK-LABEL: @read_twice
// CHECK: %[[Y:.*]] = ttg.convert_layout %arg0
// CHECK: tt.store %arg1, %[[Y]], %arg2 : tensor<64x64x!tt.ptr<f32>, #blocked>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @read_twice(%x: tensor<64x64xf32, #mma>, %p: tensor<64x64x!tt.ptr<f32>, #blocked>, %m: tensor<64x64xi1, #blocked>) -> tensor<64x64xf32, #blocked> {
    %y = ttg.convert_layout %x : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    tt.store %p, %y, %m : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return %y : tensor<64x64xf32, #blocked>
  }
}

// -----

// A binary operation in between: the conversion stays.
// CHECK-LABEL: @two_tensors
// CHECK: %[[S:.*]] = arith.addf
// CHECK: tt.store %arg1, %[[S]], %arg2 : tensor<64x64x!tt.ptr<f32>, #blocked>
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @two_tensors(%x: tensor<64x64xf32, #mma>, %p: tensor<64x64x!tt.ptr<f32>, #blocked>, %m: tensor<64x64xi1, #blocked>) {
    %y = ttg.convert_layout %x : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    %s = arith.addf %y, %y : tensor<64x64xf32, #blocked>
    tt.store %p, %s, %m : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
}
