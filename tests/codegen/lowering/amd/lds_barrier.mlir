// RUN: %lower %s | filecheck %s

// A barrier is a word of LDS: pending and initial count, and a phase in its lowest bits.
// CHECK-LABEL: define {{.*}} @arrive_and_wait(
// CHECK: %[[OR1:\w+]] = or i32 %[[IN1:\w+]], %[[IN2:\w+]]
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp eq i32 %[[OR1]], 0
// CHECK: br i1 %[[ICMP1]], label %init.1, label %after.2
// CHECK-NEXT: init.1:
// CHECK-NEXT: store i64 545460846719, ptr addrspace(3) null, align 8
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: fence syncscope("wavefront") release
// CHECK-NEXT: call void @llvm.amdgcn.s.wait.dscnt(i16 0) memory(inaccessiblemem: readwrite)
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
// CHECK-NEXT: fence syncscope("singlethread") release
// CHECK-NEXT: %[[DS1:\w+]] = call i64 @llvm.amdgcn.ds.atomic.barrier.arrive.rtn.b64(ptr addrspace(3) null, i64 2)
// CHECK-NEXT: fence syncscope("singlethread") acquire
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i64 %[[DS1]] to i32
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[TRUNC1]], 29
// CHECK-NEXT: %[[R:\w+]] = and i32 %[[LSHR1]], 1
// CHECK-NEXT: br label %look.3
// CHECK-NEXT: look.3:
// CHECK-NEXT: %[[LOAD1:\w+]] = load volatile i32, ptr addrspace(3) null, align 8
// CHECK-NEXT: %[[READFIRSTLAN1:\w+]] = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %[[LOAD1]])
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i32 %[[READFIRSTLAN1]], 29
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR2]], 1
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp ne i32 %[[AND1]], %arg0
// CHECK-NEXT: br i1 %[[ICMP2]], label %over.5, label %nap.4
// CHECK-NEXT: nap.4:
// CHECK-NEXT: call void @llvm.amdgcn.s.sleep(i32 1)
// CHECK: over.5:
// CHECK-NEXT: fence syncscope("singlethread") acquire
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @arrive_and_wait(%phase: i32) {
    %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
    amdg.init_barrier %m, 128 : !ttg.memdesc<1xi64, #s, #smem, mutable>
    %r = amdg.arrive_barrier %m, 2 : !ttg.memdesc<1xi64, #s, #smem, mutable> -> i32
    amdg.wait_barrier %m, %phase : !ttg.memdesc<1xi64, #s, #smem, mutable>
    tt.return
  }
}

// -----

// Each lane arrives when its copies to LDS have completed.
// CHECK-LABEL: define {{.*}} @copies_arrive(
// CHECK: call void @llvm.amdgcn.ds.atomic.async.barrier.arrive.b64(ptr addrspace(3) null)
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @copies_arrive() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #s, #smem, mutable>
    amdg.async_copy_mbarrier_arrive %m : !ttg.memdesc<1xi64, #s, #smem, mutable>
    tt.return
  }
}
