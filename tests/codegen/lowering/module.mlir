// RUN: %lower %s | filecheck %s

// The entry block computes the thread's coordinates, the body has the operations.
// CHECK: target triple = "nvptx64-nvidia-cuda"
// CHECK-LABEL: define {{.*}} @nvidia(
// CHECK: %[[READ1:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[READ1]], 31
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[READ1]], 5
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[AND1]], %[[LSHR1]]
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp eq i32 %[[OR1]], 0
// CHECK-NEXT: br label %body
// CHECK-NEXT: body:
// CHECK-NEXT: %[[X:\w+]] = load float, ptr addrspace(1) %arg0, align 4
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %[[X]] to i32
// CHECK-NEXT: call void asm sideeffect "@$2 st.global.b32 [$1], $0;", "r,l,b"(i32 %[[BITCAST1]], ptr addrspace(1) %arg0, i1 %[[ICMP1]])
// CHECK-NEXT: ret void
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @nvidia(%p: !tt.ptr<f32>) {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
    tt.return
  }
}

// -----

// One warp: the thread is the lane.
// CHECK: target triple = "amdgcn-amd-amdhsa"
// CHECK-LABEL: define {{.*}} @amd(
// CHECK: %[[WORKITEM1:\w+]] = call i32 @llvm.amdgcn.workitem.id.x()
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[WORKITEM1]], 63
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp eq i32 %[[AND1]], 0
// CHECK-NEXT: br label %body
// CHECK-NEXT: body:
// CHECK-NEXT: %[[X:\w+]] = load float, ptr addrspace(1) %arg0, align 4
// CHECK-NEXT: br i1 %[[ICMP1]], label %store.1, label %after.2
// CHECK-NEXT: store.1:
// CHECK-NEXT: store float %[[X]], ptr addrspace(1) %arg0, align 4
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: ret void
// CHECK: !llvm.module.flags = !{!0}
// CHECK-NEXT: !0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
// CHECK-NEXT: !1 = !{i32 1}
// CHECK-NEXT: !3 = !{!4}
// CHECK-NEXT: !4 = distinct !{!4, !5}
// CHECK-NEXT: !5 = distinct !{!5}
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amd(%p: !tt.ptr<f32>) {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %p, %x : !tt.ptr<f32>
    tt.return
  }
}
