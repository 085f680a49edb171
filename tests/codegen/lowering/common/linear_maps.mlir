// RUN: %lower %s | filecheck %s

// A swizzled address of the lane: shifted bits, xor the row's bits at the vector's position.
// CHECK-LABEL: define {{.*}} @swizzle(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 2
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[SHL1]], 48
// CHECK-NEXT: %[[SHL2:\w+]] = shl nuw nsw i32 %[[IN1]], 4
// CHECK-NEXT: %[[XOR1:\w+]] = xor i32 %[[AND1]], %[[SHL2]]
// CHECK: %[[PTR1:\w+]] = getelementptr i8, ptr addrspace(3) @shared, i32 %[[XOR1]]
// CHECK-NEXT: %[[LOAD1:\w+]] = load <8 x i16>, ptr addrspace(3) %[[PTR1]], align 16
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <8 x i16> %[[LOAD1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <8 x i16> %[[LOAD1]], i32 1
// CHECK-NEXT: %[[ELT3:\w+]] = extractelement <8 x i16> %[[LOAD1]], i32 2
// CHECK-NEXT: %[[ELT4:\w+]] = extractelement <8 x i16> %[[LOAD1]], i32 3
// CHECK-NEXT: %[[ELT5:\w+]] = extractelement <8 x i16> %[[LOAD1]], i32 4
// CHECK-NEXT: %[[ELT6:\w+]] = extractelement <8 x i16> %[[LOAD1]], i32 5
// CHECK-NEXT: %[[ELT7:\w+]] = extractelement <8 x i16> %[[LOAD1]], i32 6
// CHECK-NEXT: %[[ELT8:\w+]] = extractelement <8 x i16> %[[LOAD1]], i32 7
// CHECK-NEXT: %[[Y0:\w+]] = bitcast i16 %[[ELT1]] to half
// CHECK-NEXT: %[[Y1:\w+]] = bitcast i16 %[[ELT2]] to half
// CHECK-NEXT: %[[Y2:\w+]] = bitcast i16 %[[ELT3]] to half
// CHECK-NEXT: %[[Y3:\w+]] = bitcast i16 %[[ELT4]] to half
// CHECK-NEXT: %[[Y4:\w+]] = bitcast i16 %[[ELT5]] to half
// CHECK-NEXT: %[[Y5:\w+]] = bitcast i16 %[[ELT6]] to half
// CHECK-NEXT: %[[Y6:\w+]] = bitcast i16 %[[ELT7]] to half
// CHECK-NEXT: %[[Y7:\w+]] = bitcast i16 %[[ELT8]] to half
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @swizzle() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<8x32xf16, #s, #smem, mutable>
    %y = ttg.local_load %m : !ttg.memdesc<8x32xf16, #s, #smem, mutable> -> tensor<8x32xf16, #b>
    tt.return
  }
}

// -----

// Bits of the lane in another order: one masked shift for each distance.
// CHECK-LABEL: define {{.*}} @diagonals(
// CHECK: %[[LSHR1:\w+]] = lshr i32 %[[IN1:\w+]], 2
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 3
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 16
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 2
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[SHL1]], 12
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND1]], %[[AND2]]
// CHECK-NEXT: %[[R:\w+]] = or disjoint i32 %[[OR1]], %[[AND3]]
#b = #ttg.linear<{register = [], lane = [[4], [8], [1], [2], [16]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @diagonals() {
    %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #b>
    tt.return
  }
}

// -----

// Images that double and are disjoint: bits 0 to 2 times 72, in one multiplication.
// CHECK-LABEL: define {{.*}} @product(
// CHECK: %[[AND1:\w+]] = and i32 %[[IN1:\w+]], 7
// CHECK-NEXT: %[[MUL1:\w+]] = mul i32 %[[AND1]], 72
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i32 %[[IN1]], 3
// CHECK-NEXT: %[[R0:\w+]] = xor i32 %[[MUL1]], %[[LSHR1]]
// CHECK: %[[R1:\w+]] = xor i32 %[[R0]], 4
// CHECK-NEXT: %[[R2:\w+]] = xor i32 %[[R0]], 8
// CHECK-NEXT: %[[R3:\w+]] = xor i32 %[[R0]], 12
// CHECK-NEXT: %[[R4:\w+]] = xor i32 %[[R0]], 16
// CHECK-NEXT: %[[R5:\w+]] = xor i32 %[[R0]], 20
// CHECK-NEXT: %[[R6:\w+]] = xor i32 %[[R0]], 24
// CHECK-NEXT: %[[R7:\w+]] = xor i32 %[[R0]], 28
// CHECK-NEXT: %[[R8:\w+]] = xor i32 %[[R0]], 32
// CHECK-NEXT: %[[R9:\w+]] = xor i32 %[[R0]], 36
// CHECK-NEXT: %[[R10:\w+]] = xor i32 %[[R0]], 40
// CHECK-NEXT: %[[R11:\w+]] = xor i32 %[[R0]], 44
// CHECK-NEXT: %[[R12:\w+]] = xor i32 %[[R0]], 48
// CHECK-NEXT: %[[R13:\w+]] = xor i32 %[[R0]], 52
// CHECK-NEXT: %[[R14:\w+]] = xor i32 %[[R0]], 56
// CHECK-NEXT: %[[R15:\w+]] = xor i32 %[[R0]], 60
#b = #ttg.linear<{register = [[4], [8], [16], [32]], lane = [[72], [144], [288], [1], [2]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @product() {
    %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #b>
    tt.return
  }
}

// -----

// Images that double but overlap are no multiple of the lane: 3 xor 6 is 5.
// CHECK-LABEL: define {{.*}} @overlapping(
// CHECK: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[R0:\w+]] = xor i32 %[[IN1]], %[[SHL1]]
// CHECK: %[[R1:\w+]] = xor i32 %[[R0]], 1
#b = #ttg.linear<{register = [[1]], lane = [[3], [6], [12], [24], [48]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @overlapping() {
    %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
    tt.return
  }
}
