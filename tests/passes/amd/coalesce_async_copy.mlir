// RUN: weft opt %s -p tritonamdgpu-coalesce-async-copy{arch-generation-name=gfx950} --split-input-file | filecheck %s

// A swizzled buffer by vectors of two f16: a lane may write 32 bits in a row, so it holds two.
// CHECK: #[[TWO:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @swizzled
// CHECK: %[[P:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x64x!tt.ptr<f16>, #[[TWO]]>
// CHECK: ttg.async_copy_global_to_local %[[P]], %{{.*}} {contiguity = 2 : i32} : tensor<32x64x!tt.ptr<f16>, #[[TWO]]>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @swizzled(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !ttg.memdesc<32x64xf16, #shared, #smem, mutable>) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %at = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #blocked>
    %q = tt.addptr %ps, %at : tensor<32x64x!tt.ptr<f16>, #blocked>, tensor<32x64xi32, #blocked>
    %t = ttg.async_copy_global_to_local %q, %b : tensor<32x64x!tt.ptr<f16>, #blocked> -> <32x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

// The lanes copy 128 bits each to contiguous bytes: the layout stays.
// CHECK-LABEL: @wide
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @wide(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !ttg.memdesc<32x64xf16, #shared, #smem, mutable>) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %at = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #blocked>
    %q = tt.addptr %ps, %at : tensor<32x64x!tt.ptr<f16>, #blocked>, tensor<32x64xi32, #blocked>
    %t = ttg.async_copy_global_to_local %q, %b : tensor<32x64x!tt.ptr<f16>, #blocked> -> <32x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

// A padded buffer puts rows 0, 4, 8 … next to each other: registers, lanes and warps follow it.
// CHECK: #linear = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}1, 0], [2, 0]], block = []}>
// CHECK-LABEL: @padded
// CHECK: %[[P:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x64x!tt.ptr<f16>, #linear>
// CHECK: %[[M:.*]] = ttg.convert_layout %{{.*}} -> tensor<32x64xi1, #linear>
// CHECK: ttg.async_copy_global_to_local %[[P]], %{{.*}} mask %[[M]] {contiguity = 8 : i32} : tensor<32x64x!tt.ptr<f16>, #linear>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.padded_shared<[512:+16] {offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [4, 0], [8, 0], [16, 0], [1, 0], [2, 0]], block = []}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @padded(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !ttg.memdesc<32x64xf16, #shared, #smem, mutable>, %c: i1) {
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %at = tt.broadcast %row : tensor<1x64xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<32x64x!tt.ptr<f16>, #blocked>
    %q = tt.addptr %ps, %at : tensor<32x64x!tt.ptr<f16>, #blocked>, tensor<32x64xi32, #blocked>
    %m = tt.splat %c : i1 -> tensor<32x64xi1, #blocked>
    %t = ttg.async_copy_global_to_local %q, %b mask %m : tensor<32x64x!tt.ptr<f16>, #blocked> -> <32x64xf16, #shared, #smem, mutable>
    tt.return
  }
}

// -----

// A padding after 16 elements is inside of what the lanes of a warp write: no layout is contiguous.
// CHECK-LABEL: @padding_in_warp
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#shared = #ttg.padded_shared<[16:+4] {order = [0], shape = [256]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @padding_in_warp(%p: tensor<256x!tt.ptr<f32>, #blocked> {tt.contiguity = 4 : i32, tt.divisibility = 16 : i32}, %b: !ttg.memdesc<256xf32, #shared, #smem, mutable>) {
    %t = ttg.async_copy_global_to_local %p, %b : tensor<256x!tt.ptr<f32>, #blocked> -> <256xf32, #shared, #smem, mutable>
    tt.return
  }
}

// -----

// Between two paddings are 64 elements, one of each lane, although a lane could copy four.
// CHECK: #[[ONE:linear[0-9]*]] = #ttg.linear<{register = {{\[\[}}64], [128]], lane = {{\[\[}}1], [2], [4], [8], [16], [32]], warp = [], block = []}>
// CHECK-LABEL: @padding_after_warp
// CHECK: ttg.async_copy_global_to_local %{{[^{]*}} : tensor<256x!tt.ptr<f32>, #[[ONE]]>
#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#shared = #ttg.padded_shared<[64:+4] {order = [0], shape = [256]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @padding_after_warp(%p: tensor<256x!tt.ptr<f32>, #blocked> {tt.contiguity = 4 : i32, tt.divisibility = 16 : i32}, %b: !ttg.memdesc<256xf32, #shared, #smem, mutable>) {
    %t = ttg.async_copy_global_to_local %p, %b : tensor<256x!tt.ptr<f32>, #blocked> -> <256xf32, #shared, #smem, mutable>
    tt.return
  }
}
