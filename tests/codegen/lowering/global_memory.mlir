// RUN: %lower %s | filecheck %s

// Four contiguous floats are one predicated vector access; the load's `other` is moved first.
// CHECK-LABEL: define {{.*}} @masked_vector(
// CHECK: %[[BITCAST1:\w+]] = bitcast float 0x3FF0000000000000 to i32
// CHECK-NEXT: %[[ASM1:\w+]] = call { i32, i32, i32, i32 } asm sideeffect "@$9 ld.global.v4.b32 {$0, $1, $2, $3}, [$8];", "=r,=r,=r,=r,0,1,2,3,l,b"(i32 %[[BITCAST1]], i32 %[[BITCAST1]], i32 %[[BITCAST1]], i32 %[[BITCAST1]], ptr addrspace(1) %[[P0:\w+]], i1 %arg0)
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 1
// CHECK-NEXT: %[[PART3:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 2
// CHECK-NEXT: %[[PART4:\w+]] = extractvalue { i32, i32, i32, i32 } %[[ASM1]], 3
// CHECK-NEXT: %[[X0:\w+]] = bitcast i32 %[[PART1]] to float
// CHECK-NEXT: %[[X1:\w+]] = bitcast i32 %[[PART2]] to float
// CHECK-NEXT: %[[X2:\w+]] = bitcast i32 %[[PART3]] to float
// CHECK-NEXT: %[[X3:\w+]] = bitcast i32 %[[PART4]] to float
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast float %[[X0]] to i32
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[X1]] to i32
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast float %[[X2]] to i32
// CHECK-NEXT: %[[BITCAST5:\w+]] = bitcast float %[[X3]] to i32
// CHECK-NEXT: call void asm sideeffect "@$5 st.global.v4.b32 [$4], {$0, $1, $2, $3};", "r,r,r,r,l,b"(i32 %[[BITCAST2]], i32 %[[BITCAST3]], i32 %[[BITCAST4]], i32 %[[BITCAST5]], ptr addrspace(1) %[[Q0:\w+]], i1 %arg0)
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @masked_vector(%c: i1, %p_base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q_base: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %q_offsets = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %q_bases = tt.splat %q_base : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %q = tt.addptr %q_bases, %q_offsets : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    %mask = tt.splat %c : i1 -> tensor<128xi1, #b>
    %zero = arith.constant dense<1.0> : tensor<128xf32, #b>
    %x = tt.load %p, %mask, %zero : tensor<128x!tt.ptr<f32>, #b>
    tt.store %q, %x, %mask : tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

// On AMD a mask is a branch. Both warps hold all elements: the first one stores.
// CHECK-LABEL: define {{.*}} @branch_of_owner(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: br i1 %arg0, label %load.1, label %after.2
// CHECK-NEXT: load.1:
// CHECK-NEXT: %[[LOAD1:\w+]] = load float, ptr addrspace(1) %[[P:\w+]], align 4
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: %[[X:\w+]] = phi float [ 0.0, %body ], [ %[[LOAD1]], %load.1 ]
// CHECK-NEXT: br i1 %[[ICMP1]], label %store.3, label %after.4
// CHECK-NEXT: store.3:
// CHECK-NEXT: store float %[[X]], ptr addrspace(1) %[[Q:\w+]], align 4
// CHECK-NEXT: br label %after.4
// CHECK-NEXT: after.4:
#b = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @branch_of_owner(%c: i1, %p_base: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q_base: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %p_offsets = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %p_bases = tt.splat %p_base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %p = tt.addptr %p_bases, %p_offsets : tensor<64x!tt.ptr<f32>, #b>, tensor<64xi32, #b>
    %q_offsets = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %q_bases = tt.splat %q_base : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %q = tt.addptr %q_bases, %q_offsets : tensor<64x!tt.ptr<f32>, #b>, tensor<64xi32, #b>
    %mask = tt.splat %c : i1 -> tensor<64xi1, #b>
    %x = tt.load %p, %mask : tensor<64x!tt.ptr<f32>, #b>
    tt.store %q, %x : tensor<64x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

// A scalar is loaded by every thread, and stored by the first one.
// CHECK-LABEL: define {{.*}} @scalar(
// CHECK: %[[ICMP1:\w+]] = icmp eq i32 %[[IN1:\w+]], 0
// CHECK: %[[X:\w+]] = load i32, ptr addrspace(1) %arg0, align 4
// CHECK-NEXT: call void asm sideeffect "@$2 st.global.b32 [$1], $0;", "r,l,b"(i32 %[[X]], ptr addrspace(1) %arg0, i1 %[[ICMP1]])
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scalar(%p: !tt.ptr<i32>) {
    %x = tt.load %p : !tt.ptr<i32>
    tt.store %p, %x : !tt.ptr<i32>
    tt.return
  }
}
