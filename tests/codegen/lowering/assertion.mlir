// RUN: %lower %s | filecheck %s

// A false register is a call of __assertfail, after which the warp synchronizes.
// CHECK: @text.0 = internal constant [9 x i8] c"positive\00"
// CHECK-NEXT: @text.1 = internal constant [10 x i8] c"kernel.py\00"
// CHECK-NEXT: @text.2 = internal constant [8 x i8] c"unknown\00"
// CHECK-LABEL: define {{.*}} @tensor(
// CHECK: br i1 %[[X:\w+]], label %asserted.2, label %failed.1
// CHECK-NEXT: failed.1:
// CHECK-NEXT: call void @__assertfail(ptr @text.0, ptr @text.1, i32 12, ptr @text.2, i64 1)
// CHECK-NEXT: br label %asserted.2
// CHECK-NEXT: asserted.2:
// CHECK-NEXT: call void @llvm.nvvm.bar.warp.sync(i32 -1)
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @tensor(%x_ptr: !tt.ptr<i1>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<i1> -> tensor<32x!tt.ptr<i1>, #b>
    %x = tt.load %x_ptrs : tensor<32x!tt.ptr<i1>, #b>
    tt.assert %x, "positive" : tensor<32xi1, #b> loc("kernel.py":12:0)
    tt.return
  }
}

// -----

// AMD's device prints, and traps.
// CHECK-LABEL: define {{.*}} @scalar(
// CHECK: br i1 %arg0, label %asserted.2, label %failed.1
// CHECK-NEXT: failed.1:
// CHECK-NEXT: %[[CALL1:\w+]] = call i64 @__ockl_fprintf_stderr_begin() noinline
// CHECK-NEXT: %[[CALL2:\w+]] = call i64 @__ockl_printf_append_string_n(i64 %[[CALL1]], ptr @text.0, i64 49, i32 1) noinline
// CHECK-NEXT: call void @llvm.trap()
// CHECK-NEXT: br label %asserted.2
// CHECK-NEXT: asserted.2:
// CHECK-NEXT: fence syncscope("wavefront") release
// CHECK-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 49279) memory(inaccessiblemem: readwrite)
// CHECK-NEXT: call void @llvm.amdgcn.s.barrier()
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @scalar(%c: i1) {
    %d = tt.splat %c : i1 -> tensor<64xi1, #b>
    tt.assert %d, "positive" : tensor<64xi1, #b> loc("kernel.py":12:0)
    tt.return
  }
}
