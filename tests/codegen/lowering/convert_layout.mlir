// RUN: %lower %s | filecheck %s

// A register bit changes places with a lane bit: each lane sends half of its registers.
// CHECK-LABEL: define {{.*}} @swap(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 4
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ne i32 %[[AND1]], 0
// CHECK: %[[SELECT1:\w+]] = select i1 %[[ICMP1]], float %[[X0:\w+]], float %[[X1:\w+]]
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[SELECT1]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %[[BITCAST1]], i32 4, i32 31)
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i32 %[[SHFL1]] to float
// CHECK-NEXT: %[[Y0:\w+]] = select i1 %[[ICMP1]], float %[[BITCAST2]], float %[[X0]]
// CHECK-NEXT: %[[Y1:\w+]] = select i1 %[[ICMP1]], float %[[X1]], float %[[BITCAST2]]
#b = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []}>
#c = #ttg.linear<{register = [[8]], lane = [[2], [4], [1], [16], [32]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @swap(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %y = ttg.convert_layout %x : tensor<64xf32, #b> -> tensor<64xf32, #c>
    tt.return
  }
}

// -----

// A permutation of lanes: one shuffle by index per register.
// CHECK-LABEL: define {{.*}} @lanes(
// CHECK: %[[LSHR1:\w+]] = lshr i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 13
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 1
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL1]], 2
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[IN1]], 2
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[SHL2]], 16
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND1]], %[[AND2]]
// CHECK-NEXT: %[[OR2:\w+]] = or disjoint i32 %[[OR1]], %[[AND3]]
// CHECK: %[[BITCAST1:\w+]] = bitcast float %[[X:\w+]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[BITCAST1]], i32 %[[OR2]], i32 31)
// CHECK-NEXT: %[[Y:\w+]] = bitcast i32 %[[SHFL1]] to float
#b = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>
#c = #ttg.linear<{register = [], lane = [[2], [1], [16], [4], [8]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @lanes(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<f32>, #b>
    %y = ttg.convert_layout %x : tensor<32xf32, #b> -> tensor<32xf32, #c>
    tt.return
  }
}

// -----

// Between warps: store vectors to shared memory, barrier, load.
// CHECK-LABEL: define {{.*}} @shared_memory(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 4
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[IN2:\w+]], 7
// CHECK-NEXT: %[[SHL3:\w+]] = shl nuw nsw i32 %[[IN3:\w+]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[SHL3]], 368
// CHECK-NEXT: %[[SHL4:\w+]] = shl nuw nsw i32 %[[IN3]], 6
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[SHL4]], 512
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[SHL2]], %[[AND1]]
// CHECK-NEXT: %[[OR2:\w+]] = or disjoint i32 %[[OR1]], %[[AND2]]
// CHECK: %[[BITCAST1:\w+]] = bitcast float %[[X0:\w+]] to i32
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast float %[[X1:\w+]] to i32
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast float %[[X2:\w+]] to i32
// CHECK-NEXT: %[[BITCAST4:\w+]] = bitcast float %[[X3:\w+]] to i32
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[SHL1]]
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <4 x i32> poison, i32 %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i32> %[[VEC1]], i32 %[[BITCAST2]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i32> %[[VEC2]], i32 %[[BITCAST3]], i32 2
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i32> %[[VEC3]], i32 %[[BITCAST4]], i32 3
// CHECK-NEXT: store <4 x i32> %[[VEC4]], ptr addrspace(3) %[[PTR1]], align 16
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[OR2]]
// CHECK-NEXT: %[[LDMATRIX1:\w+]] = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %[[PTR2]])
// CHECK-NEXT: %[[PART1:\w+]] = extractvalue { i32, i32, i32, i32 } %[[LDMATRIX1]], 0
// CHECK-NEXT: %[[PART2:\w+]] = extractvalue { i32, i32, i32, i32 } %[[LDMATRIX1]], 1
// CHECK-NEXT: %[[PART3:\w+]] = extractvalue { i32, i32, i32, i32 } %[[LDMATRIX1]], 2
// CHECK-NEXT: %[[PART4:\w+]] = extractvalue { i32, i32, i32, i32 } %[[LDMATRIX1]], 3
// CHECK-NEXT: %[[Y0:\w+]] = bitcast i32 %[[PART1]] to float
// CHECK-NEXT: %[[Y1:\w+]] = bitcast i32 %[[PART2]] to float
// CHECK-NEXT: %[[Y2:\w+]] = bitcast i32 %[[PART3]] to float
// CHECK-NEXT: %[[Y3:\w+]] = bitcast i32 %[[PART4]] to float
#b = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = []}>
#c = #ttg.linear<{register = [[128], [64]], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @shared_memory(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<256x!tt.ptr<f32>, #b>
    %y = ttg.convert_layout %x : tensor<256xf32, #b> -> tensor<256xf32, #c>
    tt.return
  }
}

// -----

// Registers in another order cost nothing.
// CHECK-LABEL: define {{.*}} @registers(
// CHECK: %[[W0:\w+]] = or i32 %[[X0:\w+]], %[[Z0:\w+]]
#b = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []}>
#c = #ttg.linear<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @registers(%x_ptr: !tt.ptr<i32>, %z_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<128x!tt.ptr<i32>, #b>
    %y = ttg.convert_layout %x : tensor<128xi32, #b> -> tensor<128xi32, #c>
    %z_ptrs = tt.splat %z_ptr : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #c>
    %z = tt.load %z_ptrs : tensor<128x!tt.ptr<i32>, #c>
    %w = arith.ori %y, %z : tensor<128xi32, #c>
    tt.return
  }
}

// -----

// i1 is converted as i8.
// CHECK-LABEL: define {{.*}} @bool(
// CHECK: %[[LSHR1:\w+]] = lshr i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 1
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 28
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 1
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[SHL1]], 2
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND1]], %[[AND2]]
// CHECK-NEXT: %[[OR2:\w+]] = or disjoint i32 %[[OR1]], %[[AND3]]
// CHECK: %[[ZEXT1:\w+]] = zext i1 %[[X:\w+]] to i8
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i8 %[[ZEXT1]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[ZEXT2]], i32 %[[OR2]], i32 31)
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i32 %[[SHFL1]] to i8
// CHECK-NEXT: %[[Y:\w+]] = trunc i8 %[[TRUNC1]] to i1
#b = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>
#c = #ttg.linear<{register = [], lane = [[2], [1], [4], [8], [16]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @bool(%x_ptr: !tt.ptr<i1>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i1> -> tensor<32x!tt.ptr<i1>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<i1>, #b>
    %y = ttg.convert_layout %x : tensor<32xi1, #b> -> tensor<32xi1, #c>
    tt.return
  }
}
