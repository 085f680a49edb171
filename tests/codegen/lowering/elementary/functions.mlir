// RUN: %lower %s | filecheck %s

// A function with an expansion is not called.
// CHECK-LABEL: define {{.*}} @nvidia(
// CHECK: %[[Y:\w+]] = call float @llvm.nvvm.ex2.approx.f(float %arg0)
// CHECK-NEXT: %[[Z:\w+]] = call float @llvm.nvvm.rsqrt.approx.ftz.f(float %arg0)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @nvidia(%x: f32) {
    %y = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__nv_exp2f", pure = true} : (f32) -> f32
    %z = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__nv_rsqrtf", pure = true} : (f32) -> f32
    tt.return
  }
}

// -----

// The same functions by AMD's names.
// CHECK-LABEL: define {{.*}} @amd(
// CHECK: %[[Y:\w+]] = call float @llvm.exp2.f32(float %arg0)
// CHECK-NEXT: %[[Z:\w+]] = call float @llvm.amdgcn.rsq.f32(float %arg0)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amd(%x: f32) {
    %y = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__ocml_exp2_f32", pure = true} : (f32) -> f32
    %z = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__ocml_rsqrt_f32", pure = true} : (f32) -> f32
    tt.return
  }
}
