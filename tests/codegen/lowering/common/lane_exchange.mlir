// RUN: %lower %s | filecheck %s

// A double is two words, each of which is shuffled.
// CHECK-LABEL: define {{.*}} @f64(
// CHECK: %[[LSHR1:\w+]] = lshr i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 1
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 28
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 1
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[SHL1]], 2
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND1]], %[[AND2]]
// CHECK-NEXT: %[[OR2:\w+]] = or disjoint i32 %[[OR1]], %[[AND3]]
// CHECK: %[[BITCAST1:\w+]] = bitcast double %[[X:\w+]] to i64
// CHECK-NEXT: %[[BITCAST2:\w+]] = bitcast i64 %[[BITCAST1]] to <2 x i32>
// CHECK-NEXT: %[[ELT1:\w+]] = extractelement <2 x i32> %[[BITCAST2]], i32 0
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[ELT1]], i32 %[[OR2]], i32 31)
// CHECK-NEXT: %[[VEC1:\w+]] = insertelement <2 x i32> poison, i32 %[[SHFL1]], i32 0
// CHECK-NEXT: %[[ELT2:\w+]] = extractelement <2 x i32> %[[BITCAST2]], i32 1
// CHECK-NEXT: %[[SHFL2:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[ELT2]], i32 %[[OR2]], i32 31)
// CHECK-NEXT: %[[VEC2:\w+]] = insertelement <2 x i32> %[[VEC1]], i32 %[[SHFL2]], i32 1
// CHECK-NEXT: %[[BITCAST3:\w+]] = bitcast <2 x i32> %[[VEC2]] to i64
// CHECK-NEXT: %[[Y:\w+]] = bitcast i64 %[[BITCAST3]] to double
#b = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>
#c = #ttg.linear<{register = [], lane = [[2], [1], [4], [8], [16]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f64(%x_ptr: !tt.ptr<f64>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f64> -> tensor<32x!tt.ptr<f64>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<f64>, #b>
    %y = ttg.convert_layout %x : tensor<32xf64, #b> -> tensor<32xf64, #c>
    tt.return
  }
}

// -----

// A half is extended to a word.
// CHECK-LABEL: define {{.*}} @f16(
// CHECK: %[[LSHR1:\w+]] = lshr i32 %[[IN1:\w+]], 1
// CHECK-NEXT: %[[AND1:\w+]] = and i32 %[[LSHR1]], 1
// CHECK-NEXT: %[[AND2:\w+]] = and i32 %[[IN1]], 28
// CHECK-NEXT: %[[SHL1:\w+]] = shl nuw nsw i32 %[[IN1]], 1
// CHECK-NEXT: %[[AND3:\w+]] = and i32 %[[SHL1]], 2
// CHECK-NEXT: %[[OR1:\w+]] = or disjoint i32 %[[AND1]], %[[AND2]]
// CHECK-NEXT: %[[OR2:\w+]] = or disjoint i32 %[[OR1]], %[[AND3]]
// CHECK: %[[BITCAST1:\w+]] = bitcast half %[[X:\w+]] to i16
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i16 %[[BITCAST1]] to i32
// CHECK-NEXT: %[[SHFL1:\w+]] = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %[[ZEXT1]], i32 %[[OR2]], i32 31)
// CHECK-NEXT: %[[TRUNC1:\w+]] = trunc i32 %[[SHFL1]] to i16
// CHECK-NEXT: %[[Y:\w+]] = bitcast i16 %[[TRUNC1]] to half
#b = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>
#c = #ttg.linear<{register = [], lane = [[2], [1], [4], [8], [16]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f16(%x_ptr: !tt.ptr<f16>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f16> -> tensor<32x!tt.ptr<f16>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<f16>, #b>
    %y = ttg.convert_layout %x : tensor<32xf16, #b> -> tensor<32xf16, #c>
    tt.return
  }
}
