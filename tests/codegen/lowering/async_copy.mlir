// RUN: %lower %s | filecheck %s

// cp.async of 16 bytes. Where the mask is false, the source is ignored and zeros are written.
// CHECK-LABEL: define {{.*}} @masked(
// CHECK: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[OFFSET:\w+]]
// CHECK-NEXT: call void asm sideeffect "cp.async.cg.shared.global [$0], [$1], 16, !$2;", "r,l,b"(ptr addrspace(3) %[[PTR1]], ptr addrspace(1) %[[P0:\w+]], i1 %arg0)
// CHECK-NEXT: call void asm sideeffect "cp.async.commit_group;", ""()
// CHECK-NEXT: call void asm sideeffect "cp.async.wait_group 1;", "~{memory}"()
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @masked(%c: i1, %p_base: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %mask = tt.splat %c : i1 -> tensor<128xi1, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %m mask %mask : tensor<128x!tt.ptr<f32>, #b> -> <128xf32, #s, #smem, mutable>
    %u = ttg.async_commit_group tokens %t
    %w = ttg.async_wait %u {num = 1 : i32}
    tt.return
  }
}

// -----

// On AMD groups are counted by instructions: the wait leaves those of the younger group in flight.
// CHECK-LABEL: define {{.*}} @wait_for_older_group(
// CHECK: call void @llvm.amdgcn.s.waitcnt(i32 3953)
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @wait_for_older_group(%p_base: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<256x!tt.ptr<f32>, #b>, tensor<256xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<256xf32, #s, #smem, mutable>
    %n = ttg.local_alloc : () -> !ttg.memdesc<256xf32, #s, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %m {contiguity = 4 : i32} : tensor<256x!tt.ptr<f32>, #b> -> <256xf32, #s, #smem, mutable>
    %u = ttg.async_commit_group tokens %t
    %v = ttg.async_copy_global_to_local %p, %n {contiguity = 4 : i32} : tensor<256x!tt.ptr<f32>, #b> -> <256xf32, #s, #smem, mutable>
    %w = ttg.async_commit_group tokens %v
    %x = ttg.async_wait %u {num = 1 : i32}
    tt.return
  }
}
