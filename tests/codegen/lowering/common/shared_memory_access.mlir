// RUN: %lower %s | filecheck %s

// The constant of an instruction is added after the base where the thread's offset never sets its
// bits; other bits are combined by xor.
// CHECK-LABEL: define {{.*}} @transpose(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[LANE:\w+]], 4
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[SHL1]], 112
// CHECK: %[[MUL1:\w+]] = mul i32 %[[WARP:\w+]], 272
// CHECK: %[[OR1:\w+]] = or disjoint i32 %[[AND1]], %[[AND2:\w+]]
// CHECK-NEXT: %[[XOR1:\w+]] = xor i32 %[[OR1]], %[[MUL2:\w+]]
// CHECK-NEXT: %[[STORE:\w+]] = xor i32 %[[XOR1]], %[[MUL1]]
// CHECK: %[[BITCAST1:\w+]] = bitcast float %[[X0:\w+]] to i32
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast float %[[X1:\w+]] to i32
// CHECK: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[STORE]]
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <4 x i32> poison, i32 %[[BITCAST1]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <4 x i32> %[[VEC1]], i32 %[[IN8:\w+]], i32 1
// CHECK-NEXT: %[[VEC3:\w+]] = insertelement <4 x i32> %[[VEC2]], i32 %[[BITCAST2]], i32 2
// CHECK: store <4 x i32> %[[IN9:\w+]], ptr addrspace(3) %[[PTR1]], align 16
// CHECK-NEXT: %[[XOR3:\w+]] = xor i32 %[[STORE]], 32
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[XOR3]]
// CHECK-NEXT: %[[PTR3:\w+]] = getelementptr i8, ptr addrspace(3) %[[PTR2]], i32 512
// CHECK-NEXT: %[[VEC4:\w+]] = insertelement <4 x i32> poison, i32 %[[IN10:\w+]], i32 0
// CHECK: store <4 x i32> %[[IN11:\w+]], ptr addrspace(3) %[[PTR3]], align 16
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
// CHECK: %[[LOAD1:\w+]] = load <2 x i32>, ptr addrspace(3) %[[IN12:\w+]], align 8
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x i32> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x i32> %[[LOAD1]], i32 1
// CHECK-NEXT: %[[XOR4:\w+]] = xor i32 %[[IN13:\w+]], 64
// CHECK: %[[LOAD2:\w+]] = load <2 x i32>, ptr addrspace(3) %[[IN14:\w+]], align 8
// CHECK: %[[PTR4:\w+]] = getelementptr i8, ptr addrspace(3) %[[IN12]], i32 1024
// CHECK: %[[Y0:\w+]] = bitcast i32 %[[ELT1]] to float
// CHECK-NEXT: %[[Y1:\w+]] = bitcast i32 %[[IN15:\w+]] to float
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 2], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @transpose(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<32x16x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<32x16x!tt.ptr<f32>, #b>
    %y = ttg.convert_layout %x : tensor<32x16xf32, #b> -> tensor<32x16xf32, #c>
    tt.return
  }
}

// -----

// Between CTAs: each stores to its own shared memory, and loads from that of the CTA that has the
// element; cluster barriers precede and follow the loads.
// CHECK-LABEL: define {{.*}} @cluster(
// CHECK: %[[SHL0:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 2
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 1
// CHECK-NEXT: %[[AND0:\w+]] = and i32 %[[SHL1]], 60
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[IN2:\w+]], 6
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND0]], %[[SHL2]]
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[IN1]], 1
// CHECK-NEXT: %[[MAPA1:\w+]] = call ptr addrspace(7) @llvm.nvvm.mapa.shared.cluster(ptr addrspace(3) @shared, i32 %[[AND1]])
// CHECK: %[[BITCAST1:\w+]] = bitcast float %[[X:\w+]] to i32
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[SHL0]]
// CHECK-NEXT: store i32 %[[BITCAST1]], ptr addrspace(3) %[[PTR1]], align 4
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(7) %[[MAPA1]], i32 %[[OR1]]
// CHECK-NEXT: %[[LOAD1:\w+]] = load i32, ptr addrspace(7) %[[PTR2]], align 4
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.arrive.aligned()
// CHECK-NEXT: call void @llvm.nvvm.barrier.cluster.wait.aligned()
// CHECK-NEXT: %[[Y:\w+]] = bitcast i32 %[[LOAD1]] to float
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0], CGALayout = [[1]]}>
#c = #ttg.linear<{register = [], lane = [[32], [1], [2], [4], [8]], warp = [], block = [[16]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %y = ttg.convert_layout %x : tensor<64xf32, #b> -> tensor<64xf32, #c>
    tt.return
  }
}

// -----

// Lanes 16 to 31 hold replicas, which they do not store: a store has a predicate.
// CHECK-LABEL: define {{.*}} @replicas(
// CHECK: br i1 %{{.*}}, label %share.1, label %after.2
// CHECK-NEXT: share.1:
// CHECK: store i32
#b = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = [[16]], block = []}>
#c = #ttg.linear<{register = [], lane = [[16], [1], [2], [4], [0]], warp = [[8]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @replicas(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<f32>, #b>
    %y = ttg.convert_layout %x : tensor<32xf32, #b> -> tensor<32xf32, #c>
    tt.return
  }
}

// -----

// On AMD, where a mask is a branch, all lanes store.
// CHECK-LABEL: define {{.*}} @replicas_without_branch(
// CHECK: body:
// CHECK-NOT: br i1
// CHECK: store i32 %{{.*}}, ptr addrspace(3) %{{.*}}, align 4
#b = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [0], [0]], warp = [[16]], block = []}>
#c = #ttg.linear<{register = [], lane = [[16], [1], [2], [4], [0], [0]], warp = [[8]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @replicas_without_branch(%x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<f32>, #b>
    %y = ttg.convert_layout %x : tensor<32xf32, #b> -> tensor<32xf32, #c>
    tt.return
  }
}
