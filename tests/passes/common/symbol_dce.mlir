// RUN: weft opt %s -p symbol-dce | filecheck %s

// CHECK-NOT: @unreached
// CHECK-NOT: @circle
// CHECK: tt.func public @kernel
// CHECK: tt.func private @reached
// CHECK: tt.func private @through
tt.func private @unreached() {
  tt.call @circle() : () -> ()
  tt.return
}
tt.func private @circle() {
  tt.call @unreached() : () -> ()
  tt.return
}
tt.func public @kernel() {
  tt.call @reached() : () -> ()
  tt.return
}
tt.func private @reached() {
  tt.call @through() : () -> ()
  tt.return
}
tt.func private @through() {
  tt.return
}
