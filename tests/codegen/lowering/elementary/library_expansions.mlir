// RUN: %lower %s | filecheck %s

// Tests of floats are comparisons, and the sign is a bit.
// CHECK-LABEL: define {{.*}} @tests(
// CHECK: %[[FCMP1:\w+]] = fcmp uno float %arg0, %arg0
// CHECK-NEXT: %[[A:\w+]] = zext i1 %[[FCMP1]] to i32
// CHECK-NEXT: %[[FABS1:\w+]] = call float @llvm.fabs.f32(float %arg0)
// CHECK-NEXT: %[[FCMP2:\w+]] = fcmp oeq float %[[FABS1]], 0x7FF0000000000000
// CHECK-NEXT: %[[B:\w+]] = zext i1 %[[FCMP2]] to i32
// CHECK-NEXT: %[[BITCAST1:\w+]] = bitcast float %arg0 to i32
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp slt i32 %[[BITCAST1]], 0
// CHECK-NEXT: %[[C:\w+]] = zext i1 %[[ICMP1]] to i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @tests(%x: f32) {
    %a = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__nv_isnanf", pure = true} : (f32) -> i32
    %b = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__nv_isinff", pure = true} : (f32) -> i32
    %c = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__nv_signbitf", pure = true} : (f32) -> i32
    tt.return
  }
}

// -----

// AMD's functions, of which some are intrinsics.
// CHECK-LABEL: define {{.*}} @amd(
// CHECK: %[[A:\w+]] = call float @llvm.roundeven.f32(float %arg0)
// CHECK-NEXT: %[[FCMP1:\w+]] = fcmp uno float %arg0, %arg0
// CHECK-NEXT: %[[B:\w+]] = zext i1 %[[FCMP1]] to i32
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @amd(%x: f32) {
    %a = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__triton_hip_rint", pure = true} : (f32) -> f32
    %b = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__ocml_isnan_f32", pure = true} : (f32) -> i32
    tt.return
  }
}

// -----

// Words of a double, and conversions between bits and floats.
// CHECK-LABEL: define {{.*}} @words(
// CHECK: %[[BITCAST1:\w+]] = bitcast double %arg0 to i64
// CHECK-NEXT: %[[LSHR1:\w+]] = lshr i64 %[[BITCAST1]], 32
// CHECK-NEXT: %[[A:\w+]] = trunc i64 %[[LSHR1]] to i32
// CHECK-NEXT: %[[LSHR2:\w+]] = lshr i64 %[[BITCAST1]], 0
// CHECK-NEXT: %[[B:\w+]] = trunc i64 %[[LSHR2]] to i32
// CHECK-NEXT: %[[ZEXT1:\w+]] = zext i32 %arg1 to i64
// CHECK-NEXT: %[[SHL1:\w+]] = shl i64 %[[ZEXT1]], 32
// CHECK-NEXT: %[[OR1:\w+]] = or i64 %[[SHL1]], %[[ZEXT1]]
// CHECK-NEXT: %[[C:\w+]] = bitcast i64 %[[OR1]] to double
// CHECK-NEXT: %[[D:\w+]] = bitcast i32 %arg1 to float
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @words(%x: f64, %i: i32) {
    %a = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__nv_double2hiint", pure = true} : (f64) -> i32
    %b = tt.extern_elementwise %x {libname = "", libpath = "", symbol = "__nv_double2loint", pure = true} : (f64) -> i32
    %c = tt.extern_elementwise %i, %i {libname = "", libpath = "", symbol = "__nv_hiloint2double", pure = true} : (i32, i32) -> f64
    %d = tt.extern_elementwise %i {libname = "", libpath = "", symbol = "__nv_int_as_float", pure = true} : (i32) -> f32
    tt.return
  }
}
