// RUN: %lower %s | filecheck %s

// Division that rounds up or down: a truncated quotient, corrected by one.
// CHECK-LABEL: define {{.*}} @rounded(
// CHECK: %[[SDIV1:\w+]] = sdiv i32 %arg0, %arg1
// CHECK-NEXT: %[[SREM1:\w+]] = srem i32 %arg0, %arg1
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp ne i32 %[[SREM1]], 0
// CHECK-NEXT: %[[XOR1:\w+]] = xor i32 %arg0, %arg1
// CHECK-NEXT: %[[ICMP2:\w+]] = icmp sge i32 %[[XOR1]], 0
// CHECK-NEXT: %[[AND1:\w+]] = and i1 %[[ICMP1]], %[[ICMP2]]
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i1 %[[AND1]] to i32
// CHECK-NEXT: %[[C:\w+]] = add i32 %[[SDIV1]], %[[ZEXT1]]
// CHECK-NEXT: %[[UDIV1:\w+]] = udiv i32 %arg0, %arg1
// CHECK-NEXT: %[[UREM1:\w+]] = urem i32 %arg0, %arg1
// CHECK-NEXT: %[[ICMP3:\w+]] = icmp ne i32 %[[UREM1]], 0
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i1 %[[ICMP3]] to i32
// CHECK-NEXT: %[[D:\w+]] = add i32 %[[UDIV1]], %[[ZEXT2]]
// CHECK-NEXT: %[[SDIV2:\w+]] = sdiv i32 %arg0, %arg1
// CHECK-NEXT: %[[SREM2:\w+]] = srem i32 %arg0, %arg1
// CHECK-NEXT: %[[ICMP4:\w+]] = icmp ne i32 %[[SREM2]], 0
// CHECK-NEXT: %[[ICMP5:\w+]] = icmp slt i32 %[[XOR1]], 0
// CHECK-NEXT: %[[AND2:\w+]] = and i1 %[[ICMP4]], %[[ICMP5]]
// CHECK-NEXT: %[[ZEXT3:\w+]] = zext i1 %[[AND2]] to i32
// CHECK-NEXT: %[[E:\w+]] = sub i32 %[[SDIV2]], %[[ZEXT3]]
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @rounded(%a: i32, %b: i32) {
    %c = arith.ceildivsi %a, %b : i32
    %d = arith.ceildivui %a, %b : i32
    %e = arith.floordivsi %a, %b : i32
    tt.return
  }
}

// -----

// Truncated division is one instruction.
// CHECK-LABEL: define {{.*}} @truncated(
// CHECK: %[[C:\w+]] = sdiv i32 %arg0, %arg1
// CHECK-NEXT: %[[D:\w+]] = srem i32 %arg0, %arg1
// CHECK-NEXT: %[[E:\w+]] = udiv i32 %arg0, %arg1
// CHECK-NEXT: %[[F:\w+]] = urem i32 %arg0, %arg1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @truncated(%a: i32, %b: i32) {
    %c = arith.divsi %a, %b : i32
    %d = arith.remsi %a, %b : i32
    %e = arith.divui %a, %b : i32
    %f = arith.remui %a, %b : i32
    tt.return
  }
}
