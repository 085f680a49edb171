// RUN: %lower %s | filecheck %s

// Partitions of four and one warps are warps 4 to 7 and 8, and the CTA has 12 warps. Registers are
// redistributed where the region begins and ends.
// CHECK-LABEL: define ptx_kernel void @two_partitions(ptr addrspace(1) %arg0, i32 %arg1) "nvvm.reqntid"="384" {
// CHECK: %[[ICMP1:\w+]] = icmp ult i32 %[[IN1:\w+]], 4
// CHECK-NEXT: br i1 %[[ICMP1]], label %own, label %behind
// CHECK: store i32 1, ptr addrspace(3) %[[IN2:\w+]], align 4
// CHECK: store i32 0, ptr addrspace(3) %[[IN2]], align 4
// CHECK: %workers.all.3 = icmp eq i32 %workers.all.2, 0
// CHECK-NEXT: br i1 %workers.all.3, label %leave, label %search.all.1
// CHECK: %workers.all.4 = icmp eq i32 %workers.all.2, 1
// CHECK-NEXT: %workers.all.5 = sub i32 %[[IN1]], 8
// CHECK-NEXT: %workers.all.6 = icmp ult i32 %workers.all.5, 1
// CHECK: br i1 %workers.all.7, label %head.p1.0, label %search.all.2
// CHECK: %workers.all.8 = icmp eq i32 %workers.all.2, 1
// CHECK-NEXT: %workers.all.9 = sub i32 %[[IN1]], 4
// CHECK-NEXT: %workers.all.10 = icmp ult i32 %workers.all.9, 4
// CHECK: br i1 %workers.all.11, label %head.p1.1, label %search.all.3
// CHECK: %head.p1.1.3 = sub i32 %head.p1.1.1, 128
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @two_partitions(%p: !tt.ptr<i32>, %a: i32) {
    ttg.warp_specialize(%p) attributes {requestedRegisters = array<i32: 24, 40>}
    default {
      ttg.warp_yield
    }
    partition0(%q: !tt.ptr<i32>) num_warps(1) {
      ttg.warp_return
    }
    partition1(%r: !tt.ptr<i32>) num_warps(4) {
      ttg.warp_return
    } : (!tt.ptr<i32>) -> ()
    tt.return
  }
}
