// RUN: weft opt %s -p 'convert-triton-to-tritongpu{target=cuda:100 num-ctas=2 enable-source-remat=true},relayout-tritongpu' | filecheck %s
// Each of two CTAs has 128 rows. A loaded tensor is stored without other operations in between.
// CHECK: #[[BLOCKED:.*]] = #ttg.blocked<{{.*}}CGALayout = {{\[\[}}1, 0]]}>
// CHECK: #[[ROWS:.*]] = #ttg.linear<{register = {{.*}}, lane = {{.*}}, warp = {{\[\[}}32, 0], [64, 0]], block = {{\[\[}}128, 0]]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CTASplitM = 2>
// CHECK-LABEL: @two_ctas
tt.func @two_ctas(%m: !ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable>) {
  %true = arith.constant true
  // CHECK: %[[L:.*]] = ttng.tmem_load %arg0 : {{.*}} -> tensor<256x64xf32, #[[ROWS]]>
  // CHECK-NEXT: %[[B:.*]] = ttg.convert_layout %[[L]] : {{.*}} -> tensor<256x64xf32, #[[BLOCKED]]>
  // CHECK-NEXT: %[[S:.*]] = ttg.convert_layout %[[B]] : {{.*}} -> tensor<256x64xf32, #[[ROWS]]>
  // CHECK-NEXT: ttng.tmem_store %[[S]], %arg0, %true
  %0 = ttng.tmem_load %m : !ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<256x64xf32>
  ttng.tmem_store %0, %m, %true : tensor<256x64xf32> -> !ttg.memdesc<256x64xf32, #tmem, #ttng.tensor_memory, mutable>
  tt.return
}
