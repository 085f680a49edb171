// RUN: %lower %s | filecheck %s

// 32 lines of 256 bytes for 64 threads; lines outside of the tensor are skipped.
// CHECK-LABEL: define {{.*}} @checked(
// CHECK: %[[ICMP1:\w+]] = icmp ult i32 %[[IN1:\w+]], 32
// CHECK-NEXT: %[[AND1:\w+]] = and i1 %arg5, %[[ICMP1]]
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 31
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %arg3, %[[AND2]]
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[IN1]], 0
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[AND3]], 128
// CHECK-NEXT: %[[ADD2:\w+]] = add i32 %arg4, %[[MUL1]]
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp ult i32 %[[ADD1]], %arg1
// CHECK-NEXT: %[[AND4:\w+]] = and i1 %[[AND1]], %[[ICMP2]]
// CHECK-NEXT: %[[ICMP3:\w+]] = icmp ult i32 %[[ADD2]], %arg2
// CHECK-NEXT: %[[AND5:\w+]] = and i1 %[[AND4]], %[[ICMP3]]
// CHECK-NEXT: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(1) %arg0 to i64
// CHECK-NEXT: %[[SEXT1:\w+]] = sext i32 %[[ADD1]] to i64
// CHECK-NEXT: %[[MUL2:\w+]] = mul i64 %[[SEXT1]], %[[STRIDE:\w+]]
// CHECK-NEXT: %[[MUL3:\w+]] = mul i64 %[[MUL2]], 2
// CHECK-NEXT: %[[ADD3:\w+]] = add i64 %[[PTRTOINT1]], %[[MUL3]]
// CHECK-NEXT: %[[SEXT2:\w+]] = sext i32 %[[ADD2]] to i64
// CHECK-NEXT: %[[MUL4:\w+]] = mul i64 %[[SEXT2]], 2
// CHECK-NEXT: %[[ADD4:\w+]] = add i64 %[[ADD3]], %[[MUL4]]
// CHECK-NEXT: %[[INTTOPTR1:\w+]] = inttoptr i64 %[[ADD4]] to ptr addrspace(1)
// CHECK-NEXT: br i1 %[[AND5]], label %fetch.1, label %after.2
// CHECK-NEXT: fetch.1:
// CHECK-NEXT: call void @llvm.amdgcn.global.prefetch(ptr addrspace(1) %[[INTTOPTR1]], i32 8)
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @checked(%p: !tt.ptr<f16>, %rows: i32, %columns: i32, %i: i32, %j: i32, %c: i1) {
    %stride = arith.extsi %columns : i32 to i64
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %one] : <f16>, <tensor<32x64xf16>>
    amdg.tdm_prefetch %d[%i, %j], %c, speculative = false : !tt.tensordesc<tensor<32x64xf16>>
    tt.return
  }
}

// -----

// A speculative prefetch has no check; 64 lines take two instructions of 32 threads.
// CHECK-LABEL: define {{.*}} @speculative(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 63
// CHECK-NEXT: %[[ADD1:\w+]] = add i32 %arg3, %[[AND1]]
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 0
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[AND2]], 128
// CHECK-NEXT: %[[ADD2:\w+]] = add i32 %arg4, %[[MUL1]]
// CHECK-NEXT: %[[PTRTOINT1:\w+]] = ptrtoint ptr addrspace(1) %arg0 to i64
// CHECK-NEXT: %[[SEXT1:\w+]] = sext i32 %[[ADD1]] to i64
// CHECK-NEXT: %[[MUL2:\w+]] = mul i64 %[[SEXT1]], %[[STRIDE:\w+]]
// CHECK-NEXT: %[[MUL3:\w+]] = mul i64 %[[MUL2]], 2
// CHECK-NEXT: %[[ADD3:\w+]] = add i64 %[[PTRTOINT1]], %[[MUL3]]
// CHECK-NEXT: %[[SEXT2:\w+]] = sext i32 %[[ADD2]] to i64
// CHECK-NEXT: %[[MUL4:\w+]] = mul i64 %[[SEXT2]], 2
// CHECK-NEXT: %[[ADD4:\w+]] = add i64 %[[ADD3]], %[[MUL4]]
// CHECK-NEXT: %[[INTTOPTR1:\w+]] = inttoptr i64 %[[ADD4]] to ptr addrspace(1)
// CHECK-NEXT: br i1 %arg5, label %fetch.1, label %after.2
// CHECK-NEXT: fetch.1:
// CHECK-NEXT: call void @llvm.amdgcn.global.prefetch(ptr addrspace(1) %[[INTTOPTR1]], i32 9)
// CHECK-NEXT: br label %after.2
// CHECK-NEXT: after.2:
// CHECK-NEXT: %[[ADD5:\w+]] = add i32 %[[IN1]], 32
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[ADD5]], 63
// CHECK-NEXT: %[[ADD6:\w+]] = add i32 %arg3, %[[AND3]]
// CHECK-NEXT: %[[AND4:\w+]] = and i32 %[[ADD5]], 0
// CHECK-NEXT: %[[MUL5:\w+]] = mul i32 %[[AND4]], 128
// CHECK-NEXT: %[[ADD7:\w+]] = add i32 %arg4, %[[MUL5]]
// CHECK-NEXT: %[[PTRTOINT2:\w+]] = ptrtoint ptr addrspace(1) %arg0 to i64
// CHECK-NEXT: %[[SEXT3:\w+]] = sext i32 %[[ADD6]] to i64
// CHECK-NEXT: %[[MUL6:\w+]] = mul i64 %[[SEXT3]], %[[STRIDE]]
// CHECK-NEXT: %[[MUL7:\w+]] = mul i64 %[[MUL6]], 2
// CHECK-NEXT: %[[ADD8:\w+]] = add i64 %[[PTRTOINT2]], %[[MUL7]]
// CHECK-NEXT: %[[SEXT4:\w+]] = sext i32 %[[ADD7]] to i64
// CHECK-NEXT: %[[MUL8:\w+]] = mul i64 %[[SEXT4]], 2
// CHECK-NEXT: %[[ADD9:\w+]] = add i64 %[[ADD8]], %[[MUL8]]
// CHECK-NEXT: %[[INTTOPTR2:\w+]] = inttoptr i64 %[[ADD9]] to ptr addrspace(1)
// CHECK-NEXT: br i1 %arg5, label %fetch.3, label %after.4
// CHECK-NEXT: fetch.3:
// CHECK-NEXT: call void @llvm.amdgcn.global.prefetch(ptr addrspace(1) %[[INTTOPTR2]], i32 9)
// CHECK-NEXT: br label %after.4
// CHECK-NEXT: after.4:
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @speculative(%p: !tt.ptr<f16>, %rows: i32, %columns: i32, %i: i32, %j: i32, %c: i1) {
    %stride = arith.extsi %columns : i32 to i64
    %one = arith.constant 1 : i64
    %d = tt.make_tensor_descriptor %p, [%rows, %columns], [%stride, %one] : <f16>, <tensor<64x128xf16>>
    amdg.tdm_prefetch %d[%i, %j], %c, speculative = true : !tt.tensordesc<tensor<64x128xf16>>
    tt.return
  }
}
