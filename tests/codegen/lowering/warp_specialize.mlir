// RUN: %lower %s | filecheck %s

// The kernel's warps publish the region's number and what the partition captures; warps 4 to 7
// branch to their partition. Barriers of all warps delimit the region.
// CHECK-LABEL: define {{.*}} @partition(
// CHECK: %[[READ1:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[READ1]], 31
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[READ1]], 5
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 8
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 0
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[AND1]], %[[LSHR1]]
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp eq i32 %[[OR1]], 0
// CHECK-NEXT: %[[READ2:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[READ2]], 5
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[LSHR2]], i32 0, i32 31)
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp ult i32 %[[SHFL1]], 4
// CHECK-NEXT: br i1 %[[ICMP2]], label %own, label %behind
// CHECK-NEXT: own:
// CHECK-NEXT: br label %body
// CHECK-NEXT: behind:
// CHECK-NEXT: br label %workers.all
// CHECK-NEXT: body:
// CHECK-NEXT: %[[V:\w+]] = load i32, ptr addrspace(1) %arg0, align 4
// CHECK-NEXT: store i32 %[[V]], ptr addrspace(3) %[[PTR1]], align 4
// CHECK-NEXT: store i32 1, ptr addrspace(3) %[[PTR2]], align 4
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
// CHECK-NEXT: call void asm sideeffect "@$2 st.global.b32 [$1], $0;", "r,l,b"(i32 %arg1, ptr addrspace(1) %arg0, i1 %[[ICMP1]])
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
// CHECK-NEXT: store i32 0, ptr addrspace(3) %[[PTR2]], align 4
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
// CHECK-NEXT: ret void
// CHECK-NEXT: workers.all:
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
// CHECK-NEXT: %workers.all.1 = getelementptr i8, ptr addrspace(3) @shared, i32 0
// CHECK-NEXT: %workers.all.2 = load i32, ptr addrspace(3) %workers.all.1, align 4
// CHECK-NEXT: %workers.all.3 = icmp eq i32 %workers.all.2, 0
// CHECK-NEXT: br i1 %workers.all.3, label %leave, label %search.all.1
// CHECK-NEXT: search.all.1:
// CHECK-NEXT: %workers.all.4 = icmp eq i32 %workers.all.2, 1
// CHECK-NEXT: %workers.all.5 = sub i32 %[[SHFL1]], 4
// CHECK-NEXT: %workers.all.6 = icmp ult i32 %workers.all.5, 4
// CHECK-NEXT: %workers.all.7 = and i1 %workers.all.4, %workers.all.6
// CHECK-NEXT: br i1 %workers.all.7, label %head.p1.0, label %search.all.2
// CHECK-NEXT: search.all.2:
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
// CHECK-NEXT: br label %workers.all
// CHECK-NEXT: leave:
// CHECK-NEXT: ret void
// CHECK-NEXT: head.p1.0:
// CHECK-NEXT: %head.p1.0.1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK-NEXT: %head.p1.0.2 = and i32 %head.p1.0.1, 31
// CHECK-NEXT: %head.p1.0.3 = sub i32 %head.p1.0.1, 128
// CHECK-NEXT: %head.p1.0.4 = lshr i32 %head.p1.0.3, 5
// CHECK-NEXT: %head.p1.0.5 = getelementptr i8, ptr addrspace(3) @shared, i32 8
// CHECK-NEXT: %head.p1.0.6 = or i32 %head.p1.0.2, %head.p1.0.4
// CHECK-NEXT: %head.p1.0.7 = icmp eq i32 %head.p1.0.6, 0
// CHECK-NEXT: br label %partition.p1.0
// CHECK-NEXT: partition.p1.0:
// CHECK-NEXT: %partition.p1.0.1 = load i32, ptr addrspace(3) %head.p1.0.5, align 4
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
// CHECK-NEXT: call void asm sideeffect "@$2 st.global.b32 [$1], $0;", "r,l,b"(i32 %partition.p1.0.1, ptr addrspace(1) %arg0, i1 %head.p1.0.7)
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
// CHECK-NEXT: br label %workers.all
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @partition(%p: !tt.ptr<i32>, %a: i32) {
    %v = tt.load %p : !tt.ptr<i32>
    ttg.warp_specialize(%p, %v) attributes {warpGroupStartIds = array<i32: 4>}
    default {
      tt.store %p, %a : !tt.ptr<i32>
      ttg.warp_yield
    }
    partition0(%q: !tt.ptr<i32>, %b: i32) num_warps(4) {
      tt.store %q, %b : !tt.ptr<i32>
      ttg.warp_return
    } : (!tt.ptr<i32>, i32) -> ()
    tt.return
  }
}
