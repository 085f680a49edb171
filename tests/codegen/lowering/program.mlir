// RUN: %lower %s | filecheck %s

// Special registers.
// CHECK-LABEL: define {{.*}} @ids(
// CHECK: %[[X:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
// CHECK-NEXT: %[[Z:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
// CHECK-NEXT: %[[N:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @ids() {
    %x = tt.get_program_id x : i32
    %z = tt.get_program_id z : i32
    %n = tt.get_num_programs y : i32
    %w = ttg.warp_id
    tt.return
  }
}

// -----

// A program is a cluster: its index is that of the cluster.
// CHECK-LABEL: define {{.*}} @cluster_ids(
// CHECK: %[[X:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.x()
// CHECK-NEXT: %[[N:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.nclusterid.x()
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @cluster_ids() {
    %x = tt.get_program_id x : i32
    %n = tt.get_num_programs x : i32
    tt.return
  }
}

// -----

// The grid's size is read from the implicit arguments.
// CHECK-LABEL: define {{.*}} @amd_ids(
// CHECK: %[[X:\w+]] = call i32 @llvm.amdgcn.workgroup.id.y()
// CHECK-NEXT: %[[DISPATCH1:\w+]] = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(4) %[[DISPATCH1]], i32 12
// CHECK-NEXT: %[[LOAD1:\w+]] = load i32, ptr addrspace(4) %[[PTR1]], align 4
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i8, ptr addrspace(4) %[[DISPATCH1]], i32 4
// CHECK-NEXT: %[[LOAD2:\w+]] = load i16, ptr addrspace(4) %[[PTR2]], align 4
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i16 %[[LOAD2]] to i32
// CHECK-NEXT: %[[CTTZ1:\w+]] = call i32 @llvm.cttz.i32(i32 %[[ZEXT1]], i1 true)
// CHECK-NEXT: %[[N:\w+]] = lshr i32 %[[LOAD1]], %[[CTTZ1]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amd_ids() {
    %x = tt.get_program_id y : i32
    %n = tt.get_num_programs x : i32
    %w = ttg.warp_id
    tt.return
  }
}
