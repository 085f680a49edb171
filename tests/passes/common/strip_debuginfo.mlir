// RUN: weft opt %s -p strip-debuginfo | filecheck %s

// The operations stay; test_strip_debuginfo.py looks at the locations.
// CHECK: tt.func public @k(%arg0: i32)
// CHECK: %0 = arith.addi %arg0, %arg0 : i32
// CHECK: tt.return
tt.func public @k(%n: i32 loc("n"("k.py":1:0))) {
  %b = arith.addi %n, %n : i32 loc("b"("k.py":2:0))
  tt.return loc("k.py":4:0)
}
