// RUN: %lower %s | filecheck %s

// A type with negative zero: clear or flip the bit of the sign.
// CHECK-LABEL: define {{.*}} @with_negative_zero(
// CHECK-DAG: %[[ABS:\w+]] = and i8 %arg0, 127
// CHECK-DAG: %[[NEG:\w+]] = xor i8 %arg0, -128
// CHECK-NOT: select
// CHECK: %[[WIDE_ABS:\w+]] = zext i8 %[[ABS]] to i16
// CHECK: st.global.b8{{.*}}(i16 %[[WIDE_ABS]],
// CHECK: %[[WIDE_NEG:\w+]] = zext i8 %[[NEG]] to i16
// CHECK: st.global.b8{{.*}}(i16 %[[WIDE_NEG]],
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @with_negative_zero(%x: f8E4M3FN, %p: !tt.ptr<f8E4M3FN>) {
    %abs = math.absf %x : f8E4M3FN
    %neg = arith.negf %x : f8E4M3FN
    tt.store %p, %abs : !tt.ptr<f8E4M3FN>
    tt.store %p, %neg : !tt.ptr<f8E4M3FN>
    tt.return
  }
}

// -----

// A FNUZ type: 0x80 is NaN, and keeps its code in both; zero keeps its code in the negative.
// CHECK-LABEL: define {{.*}} @fnuz(
// CHECK: %[[CLEARED:\w+]] = and i8 %arg0, 127
// CHECK: %[[IS_NAN:\w+]] = icmp eq i8 %arg0, -128
// CHECK: %[[ABS:\w+]] = select i1 %[[IS_NAN]], i8 %arg0, i8 %[[CLEARED]]
// CHECK: %[[FLIPPED:\w+]] = xor i8 %arg0, -128
// CHECK: %[[HAS_ONE_CODE:\w+]] = icmp eq i8 %{{\w+}}, 0
// CHECK: %[[NEG:\w+]] = select i1 %[[HAS_ONE_CODE]], i8 %arg0, i8 %[[FLIPPED]]
// CHECK: %[[WIDE_ABS:\w+]] = zext i8 %[[ABS]] to i16
// CHECK: st.global.b8{{.*}}(i16 %[[WIDE_ABS]],
// CHECK: %[[WIDE_NEG:\w+]] = zext i8 %[[NEG]] to i16
// CHECK: st.global.b8{{.*}}(i16 %[[WIDE_NEG]],
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @fnuz(%x: f8E4M3FNUZ, %p: !tt.ptr<f8E4M3FNUZ>) {
    %abs = math.absf %x : f8E4M3FNUZ
    %neg = arith.negf %x : f8E4M3FNUZ
    tt.store %p, %abs : !tt.ptr<f8E4M3FNUZ>
    tt.store %p, %neg : !tt.ptr<f8E4M3FNUZ>
    tt.return
  }
}
