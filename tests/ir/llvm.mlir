// RUN: weft opt %s --split-input-file --verify-roundtrip

#loop_licm = #llvm.loop_licm<disable = true, versioningDisable = true>
#loop_annotation = #llvm.loop_annotation<licm = #loop_licm>
module {
  tt.func public @llvm(%arg0: i1, %arg1: i32, %arg2: !llvm.ptr, %arg3: !llvm.ptr<3>) attributes {noinline = false} {
    llvm.intr.assume %arg0 : i1
    llvm.intr.assume %arg0 : i1 {ttg.partition = array<i32: 1>}
    %0 = builtin.unrealized_conversion_cast %arg1 : i32 to !llvm.struct<(i32, f32)>
    %1 = builtin.unrealized_conversion_cast %arg1 : i32 to !llvm.struct<packed (i8)>
    %2 = llvm.mlir.undef : !llvm.struct<(i32, f32)>
    scf.for %arg4 = %arg1 to %arg1 step %arg1  : i32 {
    } {llvm.loop_annotation = #loop_annotation}
    tt.return
  }
}
