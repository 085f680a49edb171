// RUN: %lower %s | filecheck %s

// A line per register: program, indices, value.
// CHECK: @text.0 = internal constant [34 x i8] c"pid (%u, %u, %u) idx (%2u) x: %i\0A\00"
// CHECK-LABEL: define {{.*}} @tensor(
// CHECK: %[[ALLOCA1:\w+]] = alloca { i32, i32, i32, i32, i32 }, align 8
// CHECK: %[[READ1:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
// CHECK-NEXT: %[[READ2:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
// CHECK-NEXT: %[[READ3:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
// CHECK-NEXT: %[[STRUCT1:\w+]] = insertvalue { i32, i32, i32, i32, i32 } poison, i32 %[[READ1]], 0
// CHECK-NEXT: %[[STRUCT2:\w+]] = insertvalue { i32, i32, i32, i32, i32 } %[[STRUCT1]], i32 %[[READ2]], 1
// CHECK-NEXT: %[[STRUCT3:\w+]] = insertvalue { i32, i32, i32, i32, i32 } %[[STRUCT2]], i32 %[[READ3]], 2
// CHECK-NEXT: %[[STRUCT4:\w+]] = insertvalue { i32, i32, i32, i32, i32 } %[[STRUCT3]], i32 %[[IN1:\w+]], 3
// CHECK-NEXT: %[[STRUCT5:\w+]] = insertvalue { i32, i32, i32, i32, i32 } %[[STRUCT4]], i32 %[[X:\w+]], 4
// CHECK-NEXT: store { i32, i32, i32, i32, i32 } %[[STRUCT5]], ptr %[[ALLOCA1]], align 8
// CHECK-NEXT: %[[CALL1:\w+]] = call i32 @vprintf(ptr @text.0, ptr %[[ALLOCA1]])
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @tensor(%x_ptr: !tt.ptr<i32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<i32>, #b>
    tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %x : tensor<32xi32, #b>
    tt.return
  }
}

// -----

// Without operands it is one line.
// CHECK: @text.0 = internal constant [23 x i8] c"pid (%u, %u, %u)100%%\0A\00"
// CHECK-LABEL: define {{.*}} @message(
// CHECK: %[[WORKGROUP1:\w+]] = call i32 @llvm.amdgcn.workgroup.id.x()
// CHECK-NEXT: %[[WORKGROUP2:\w+]] = call i32 @llvm.amdgcn.workgroup.id.y()
// CHECK-NEXT: %[[WORKGROUP3:\w+]] = call i32 @llvm.amdgcn.workgroup.id.z()
// CHECK-NEXT: %[[CALL1:\w+]] = call i64 @__ockl_printf_begin(i64 0) noinline
// CHECK-NEXT: %[[CALL2:\w+]] = call i64 @__ockl_printf_append_string_n(i64 %[[CALL1]], ptr @text.0, i64 23, i32 0) noinline
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %[[WORKGROUP1]] to i64
// CHECK-NEXT: %[[ZEXT2:\w+]] = zext i32 %[[WORKGROUP2]] to i64
// CHECK-NEXT: %[[ZEXT3:\w+]] = zext i32 %[[WORKGROUP3]] to i64
// CHECK-NEXT: %[[CALL3:\w+]] = call i64 @__ockl_printf_append_args(i64 %[[CALL2]], i32 3, i64 %[[ZEXT1]], i64 %[[ZEXT2]], i64 %[[ZEXT3]], i64 0, i64 0, i64 0, i64 0, i32 1) noinline
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @message() {
    tt.print "100%" {hex = false, isSigned = array<i32>}
    tt.return
  }
}
