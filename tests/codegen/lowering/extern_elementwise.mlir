// RUN: %lower %s | filecheck %s

// A function of libdevice is called for each register; functions with an intrinsic use it.
// CHECK-LABEL: define {{.*}} @nvidia(
// CHECK: %[[Y0:\w+]] = call double @__nv_cyl_bessel_i0(double %[[X0:\w+]])
// CHECK-NEXT: %[[Y1:\w+]] = call double @__nv_cyl_bessel_i0(double %[[X1:\w+]])
// CHECK-NEXT: %[[Z0:\w+]] = call double @llvm.floor.f64(double %[[Y0]])
// CHECK-NEXT: %[[Z1:\w+]] = call double @llvm.floor.f64(double %[[Y1]])
// CHECK: declare double @__nv_cyl_bessel_i0(double)
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @nvidia(%x_ptr: !tt.ptr<f64>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f64> -> tensor<64x!tt.ptr<f64>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f64>, #b>
    %y = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__nv_cyl_bessel_i0", pure = true} : (tensor<64xf64, #b>) -> tensor<64xf64, #b>
    %z = tt.extern_elementwise %y {libname = "", libpath = "", symbol = "__nv_floor", pure = true} : (tensor<64xf64, #b>) -> tensor<64xf64, #b>
    tt.return
  }
}

// -----

// Intrinsics by AMD's names.
// CHECK-LABEL: define {{.*}} @amd(
// CHECK: %[[Y:\w+]] = call float @llvm.fabs.f32(float %arg0)
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amd(%x: f32) {
    %y = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__ocml_fabs_f32", pure = true} : (f32) -> f32
    tt.return
  }
}
