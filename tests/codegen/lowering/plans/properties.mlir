// RUN: %lower %s | filecheck %s

// Properties are constants of the instructions: the counts of a wait, the address spaces of a barrier.
// CHECK-LABEL: define {{.*}} @counts_and_spaces(
// CHECK: call void @llvm.amdgcn.s.waitcnt(i32 3955)
// CHECK-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 49535)
// CHECK-NEXT: fence syncscope("wavefront") release
// CHECK-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 49279) memory(inaccessiblemem: readwrite)
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
// CHECK-NEXT: fence syncscope("workgroup") release
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
// CHECK-NEXT: fence syncscope("workgroup") acquire
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @counts_and_spaces() {
    amdg.memory_counter_wait load(3) ds(1)
    ttg.barrier local
    ttg.barrier local|global_read|global_write
    tt.return
  }
}

// -----

// The pending groups of a wait.
// CHECK-LABEL: define {{.*}} @pending(
// CHECK: call void asm sideeffect "cp.async.wait_group 2;", "~{memory}"()
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @pending() {
    %w = ttg.async_wait {num = 2 : i32}
    tt.return
  }
}
