// RUN: weft opt %s -p gluon-infer-coalesced-encodings | filecheck %s

// CHECK: #[[WIDE:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
// Addresses are aligned to 16 bytes, so a thread loads four floats at once.
// CHECK-LABEL: @copy
// CHECK: %[[P:.*]] = tt.addptr {{.*}} : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>, tensor<1024xi32, #[[WIDE]]>
// CHECK-NEXT: %[[X:.*]] = tt.load %[[P]] : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
// CHECK-NEXT: tt.store %[[P]], %[[X]] : tensor<1024x!tt.ptr<f32>, #[[WIDE]]>
tt.func public @copy(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %0 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #gluon.coalesced_encoding>
  %1 = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
  %2 = tt.addptr %1, %0 : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>, tensor<1024xi32, #gluon.coalesced_encoding>
  %3 = tt.load %2 : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
  tt.store %2, %3 : tensor<1024x!tt.ptr<f32>, #gluon.coalesced_encoding>
  tt.return
}
}
