// RUN: %lower %s | filecheck %s

// The second allocation starts at the next multiple of its alignment. The memory of a CTA starts at
// its index in the grid times the size of both.
// CHECK-LABEL: define ptx_kernel void @two_allocations(ptr addrspace(1) %arg0, ptr addrspace(1) %scratch) "nvvm.reqntid"="128" {
// CHECK: %[[READ1:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
// CHECK-NEXT: %[[READ2:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[READ1]], %[[READ2]]
// CHECK-NEXT: %[[READ3:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[MUL1]], %[[READ3]]
// CHECK-NEXT: %[[READ4:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
// CHECK-NEXT: %[[MUL2:\w+]] = mul i32 %[[ADD1]], %[[READ4]]
// CHECK-NEXT: %[[READ5:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
// CHECK-NEXT: %[[ADD2:\w+]] = add i32 %[[MUL2]], %[[READ5]]
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[ADD2]] to i64
// CHECK-NEXT: %[[MUL3:\w+]] = mul nuw nsw i64 %[[ZEXT1]], 256
// CHECK-NEXT: %[[A:\w+]] = getelementptr i8, ptr addrspace(1) %scratch, i64 %[[MUL3]]
// CHECK: %[[B:\w+]] = getelementptr i8, ptr addrspace(1) %[[A]], i64 128
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @two_allocations(%p: !tt.ptr<i32>) {
    %a = ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 24 : i32} : !tt.ptr<i8>
    %b = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    tt.return
  }
}

// -----

// Each CTA of a cluster has its own: the rank is the lowest bit of the index.
// CHECK-LABEL: define {{.*}} @cluster(
// CHECK: %[[READ1:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.z()
// CHECK-NEXT: %[[READ2:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.nclusterid.y()
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[READ1]], %[[READ2]]
// CHECK-NEXT: %[[READ3:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.y()
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %[[MUL1]], %[[READ3]]
// CHECK-NEXT: %[[READ4:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.nclusterid.x()
// CHECK-NEXT: %[[MUL2:\w+]] = mul i32 %[[ADD1]], %[[READ4]]
// CHECK-NEXT: %[[READ5:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
// CHECK-NEXT: %[[ADD2:\w+]] = add i32 %[[MUL2]], %[[READ5]]
// CHECK-NEXT: %[[SHL1:\w+]] = shl i32 %[[ADD2]], 1
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[SHL1]], %[[IN1:\w+]]
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[OR1]] to i64
// CHECK-NEXT: %[[MUL3:\w+]] = mul nuw nsw i64 %[[ZEXT1]], 24
// CHECK-NEXT: %[[A:\w+]] = getelementptr i8, ptr addrspace(1) %scratch, i64 %[[MUL3]]
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster(%p: !tt.ptr<i32>) {
    %a = ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 24 : i32} : !tt.ptr<i8>
    tt.return
  }
}

// -----

// Each call takes the memory of its callee, after the caller's own, and passes its address.
// CHECK-LABEL: define internal void @f(ptr addrspace(3) %shared, ptr addrspace(1) %scratch)
// CHECK: ptrtoint ptr addrspace(1) %scratch to i64
// CHECK-LABEL: define ptx_kernel void @kernel(ptr addrspace(1) %arg0, ptr addrspace(1) %scratch)
// CHECK: %[[OFFSET:\w+]] = mul nuw nsw i64 %{{\w+}}, 384
// CHECK-NEXT: %[[START:\w+]] = getelementptr i8, ptr addrspace(1) %scratch, i64 %[[OFFSET]]
// CHECK: %[[FIRST:\w+]] = getelementptr i8, ptr addrspace(1) %[[START]], i64 128
// CHECK-NEXT: call void @f(ptr addrspace(3) null, ptr addrspace(1) %[[FIRST]])
// CHECK-NEXT: %[[SECOND:\w+]] = getelementptr i8, ptr addrspace(1) %[[START]], i64 256
// CHECK-NEXT: call void @f(ptr addrspace(3) null, ptr addrspace(1) %[[SECOND]])
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func private @f() attributes {noinline = true} {
    %d = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
    %p = tt.bitcast %d : !tt.ptr<i8> -> !tt.ptr<!tt.ptr<i8>>
    tt.store %p, %d : !tt.ptr<!tt.ptr<i8>>
    tt.return
  }
  tt.func public @kernel(%p: !tt.ptr<!tt.ptr<i8>>) {
    %d = ttg.global_scratch_alloc {nbytes = 100 : i32, alignment = 16 : i32} : !tt.ptr<i8>
    tt.store %p, %d : !tt.ptr<!tt.ptr<i8>>
    tt.call @f() : () -> ()
    tt.call @f() : () -> ()
    tt.return
  }
}
