// RUN: %lower %s | filecheck %s

// A native atomic on i32: masked lanes are out of bounds.
// CHECK-LABEL: define {{.*}} @add(
// CHECK: %[[MAKE1:\w+]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %arg0, i16 0, i64 2147483646, i32 159744)
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[O:\w+]], 4
// CHECK-NEXT: %[[SELECT1:\w+]] = select i1 %[[M:\w+]], i32 %[[MUL1]], i32 -2147483648
// CHECK-NEXT: %[[RAW1:\w+]] = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 %[[X:\w+]], ptr addrspace(8) %[[MAKE1]], i32 %[[SELECT1]], i32 0, i32 0)
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @add(%p: !tt.ptr<i32>, %m_size: i32, %x_ptr: !tt.ptr<i32>) {
    %o = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %m_offsets = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %m_sizes = tt.splat %m_size : i32 -> tensor<64xi32, #b>
    %m = arith.cmpi slt, %m_offsets, %m_sizes : tensor<64xi32, #b>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %r = amdg.buffer_atomic_rmw add, relaxed, gpu, %x, %p[%o], %m : tensor<64xi32, #b>
    tt.return
  }
}

// -----

// Pairs of halves are one instruction.
// CHECK-LABEL: define {{.*}} @packed_add(
// CHECK: fence syncscope("agent") release
// CHECK-NEXT: %[[MAKE1:\w+]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %arg0, i16 0, i64 2147483646, i32 159744)
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[O0:\w+]], 2
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <2 x half> poison, half %[[X0:\w+]], i32 0
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x half> %[[VEC1]], half %[[X1:\w+]], i32 1
// CHECK-NEXT: %[[RAW1:\w+]] = call <2 x half> @llvm.amdgcn.raw.ptr.buffer.atomic.fadd.v2f16(<2 x half> %[[VEC2]], ptr addrspace(8) %[[MAKE1]], i32 %[[MUL1]], i32 0, i32 0)
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x half> %[[RAW1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x half> %[[RAW1]], i32 1
// CHECK-NEXT: fence syncscope("agent") acquire
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @packed_add(%p: !tt.ptr<f16>, %x_ptr: !tt.ptr<f16>) {
    %o = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #b>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>, #b>
    %x = tt.load %x_ptrs : tensor<128x!tt.ptr<f16>, #b>
    %r = amdg.buffer_atomic_rmw fadd, acq_rel, gpu, %x, %p[%o] : tensor<128xf16, #b>
    tt.return
  }
}

// -----

// Release semantics are a fence before the exchange, acquire semantics one after it.
// CHECK-LABEL: define {{.*}} @cas(
// CHECK: fence syncscope("agent") release
// CHECK-NEXT: %[[MAKE1:\w+]] = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %arg0, i16 0, i64 2147483646, i32 159744)
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[O:\w+]], 4
// CHECK-NEXT: %[[RAW1:\w+]] = call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.cmpswap.i32(i32 %[[Y:\w+]], i32 %[[X:\w+]], ptr addrspace(8) %[[MAKE1]], i32 %[[MUL1]], i32 0, i32 0)
// CHECK-NEXT: fence syncscope("agent") acquire
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @cas(%p: !tt.ptr<i32>, %x_ptr: !tt.ptr<i32>, %y_ptr: !tt.ptr<i32>) {
    %o = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %y_ptrs = tt.splat %y_ptr : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #b>
    %y = tt.load %y_ptrs : tensor<64x!tt.ptr<i32>, #b>
    %r = amdg.buffer_atomic_cas acq_rel, gpu, %x, %y, %p[%o] : tensor<64xi32, #b>
    tt.return
  }
}
