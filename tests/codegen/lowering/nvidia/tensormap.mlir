// RUN: %lower %s | filecheck %s

// Warp 0 writes the descriptor to shared memory field by field, and copies it to global memory.
// CHECK-LABEL: define {{.*}} @one_dimension(
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
// CHECK-NEXT: %[[MUL3:\w+]] = mul nuw nsw i64 %[[ZEXT1]], 128
// CHECK-NEXT: %[[D:\w+]] = getelementptr i8, ptr addrspace(1) %scratch, i64 %[[MUL3]]
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ult i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 0
// CHECK-NEXT: %[[OR1:\w+]] = or i32 %[[IN2:\w+]], %[[IN1]]
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp eq i32 %[[OR1]], 0
// CHECK: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: %[[PTR2:\w+]] = getelementptr i32, ptr addrspace(3) @shared, i32 %[[IN2]]
// CHECK-NEXT: call void asm sideeffect "@$2 st.shared.b32 [$0], $1;", "r,r,b,~{memory}"(ptr addrspace(3) %[[PTR2]], i32 0, i1 %[[ICMP1]])
// CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [$0], $2;", "l,b,l,~{memory}"(ptr addrspace(3) %[[PTR1]], i1 %[[ICMP2]], ptr addrspace(1) %arg0)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [$0], 0;", "l,b,~{memory}"(ptr addrspace(3) %[[PTR1]], i1 %[[ICMP2]])
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 0, $2;", "l,b,r,~{memory}"(ptr addrspace(3) %[[PTR1]], i1 %[[ICMP2]], i32 256)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 0, $2;", "l,b,r,~{memory}"(ptr addrspace(3) %[[PTR1]], i1 %[[ICMP2]], i32 %arg1)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [$0], 0, $2;", "l,b,r,~{memory}"(ptr addrspace(3) %[[PTR1]], i1 %[[ICMP2]], i32 1)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [$0], 6;", "l,b,~{memory}"(ptr addrspace(3) %[[PTR1]], i1 %[[ICMP2]])
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [$0], 0;", "l,b,~{memory}"(ptr addrspace(3) %[[PTR1]], i1 %[[ICMP2]])
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [$0], 0;", "l,b,~{memory}"(ptr addrspace(3) %[[PTR1]], i1 %[[ICMP2]])
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [$0], 1;", "l,b,~{memory}"(ptr addrspace(3) %[[PTR1]], i1 %[[ICMP2]])
// CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
// CHECK-NEXT: call void asm sideeffect "@$2 tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;", "l,l,b,~{memory}"(ptr addrspace(1) %[[D]], ptr addrspace(3) %[[PTR1]], i1 %[[ICMP1]])
// CHECK-NEXT: call void asm sideeffect "@$1 fence.proxy.tensormap::generic.acquire.gpu [$0], 128; @$1 cp.async.bulk.commit_group; @$1 cp.async.bulk.wait_group.read 0;", "l,b,~{memory}"(ptr addrspace(1) %[[D]], i1 %[[ICMP1]])
// CHECK-NEXT: %[[T:\w+]] = addrspacecast ptr addrspace(1) %[[D]] to ptr
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, rank = 1}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @one_dimension(%p: !tt.ptr<f16>, %n: i32) {
    %box = arith.constant 256 : i32
    %one = arith.constant 1 : i32
    %d = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    ttng.tensormap_create %d, %p, [%box], [%n], [], [%one] {elem_type = 6 : i32, fill_mode = 1 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32) -> ()
    ttng.tensormap_fenceproxy_acquire %d : !tt.ptr<i8>
    %t = ttng.reinterpret_tensor_descriptor %d : !tt.ptr<i8> to !tt.tensordesc<tensor<256xf16, #s>>
    tt.return
  }
}

// -----

// Two dimensions have a stride, in units of 16 bytes.
// CHECK-LABEL: define {{.*}} @two_dimensions(
// CHECK: call void asm sideeffect "@$1 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [$0], $2;", "l,b,l,~{memory}"(ptr addrspace(3) %[[IN1:\w+]], i1 %[[IN2:\w+]], ptr addrspace(1) %arg0)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [$0], 1;", "l,b,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]])
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 0, $2;", "l,b,r,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]], i32 32)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$0], 1, $2;", "l,b,r,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]], i32 32)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 0, $2;", "l,b,r,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]], i32 %arg1)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$0], 1, $2;", "l,b,r,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]], i32 %arg1)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [$0], 0, $2;", "l,b,l,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]], i64 %arg2)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [$0], 0, $2;", "l,b,r,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]], i32 1)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [$0], 1, $2;", "l,b,r,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]], i32 1)
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [$0], 7;", "l,b,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]])
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [$0], 0;", "l,b,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]])
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [$0], 3;", "l,b,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]])
// CHECK-NEXT: call void asm sideeffect "@$1 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [$0], 0;", "l,b,~{memory}"(ptr addrspace(3) %[[IN1]], i1 %[[IN2]])
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @two_dimensions(%p: !tt.ptr<f32>, %n: i32, %stride: i64) {
    %box = arith.constant 32 : i32
    %one = arith.constant 1 : i32
    %d = ttg.global_scratch_alloc {alignment = 128 : i32, nbytes = 128 : i32} : !tt.ptr<i8>
    ttng.tensormap_create %d, %p, [%box, %box], [%n, %n], [%stride], [%one, %one] {elem_type = 7 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f32>, i32, i32, i32, i32, i64, i32, i32) -> ()
    tt.return
  }
}
