// RUN: %lower %s | filecheck %s

// A loop: a phi per register and the test are in its header.
// CHECK-LABEL: define {{.*}} @loop(
// CHECK: br label %for.1
// CHECK-NEXT: for.1:
// CHECK-NEXT: %[[PHI1:\w+]] = phi i32 [ 0, %body ], [ %[[IN1:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI2:\w+]] = phi float [ %[[X0:\w+]], %body ], [ %[[D0:\w+]], %body.2 ]
// CHECK-NEXT: %[[PHI3:\w+]] = phi float [ %[[X1:\w+]], %body ], [ %[[D1:\w+]], %body.2 ]
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp slt i32 %[[PHI1]], %arg0
// CHECK-NEXT: br i1 %[[ICMP1]], label %body.2, label %done.3
// CHECK-NEXT: body.2:
// CHECK-NEXT: %[[D0]] = fadd contract float %[[PHI2]], %[[X0]]
// CHECK-NEXT: %[[D1]] = fadd contract float %[[PHI3]], %[[X1]]
// CHECK-NEXT: %[[IN1]] = add i32 %[[PHI1]], 1
// CHECK-NEXT: br label %for.1
// CHECK-NEXT: done.3:
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @loop(%n: i32, %x_ptr: !tt.ptr<f32>) {
    %x_ptrs = tt.splat %x_ptr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
    %x = tt.load %x_ptrs : tensor<64x!tt.ptr<f32>, #b>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<64xf32, #b>) : i32 {
      %d = arith.addf %acc, %x : tensor<64xf32, #b>
      scf.yield %d : tensor<64xf32, #b>
    }
    tt.return
  }
}

// -----

// Branches merge in phis. A while loop tests before its body; the condition is voted on in the warp,
// so that its lanes stay together.
// CHECK-LABEL: define {{.*}} @if_and_while(
// CHECK: br i1 %arg0, label %then.1, label %else.3
// CHECK-NEXT: then.1:
// CHECK-NEXT: %[[S:\w+]] = add i32 %arg1, %arg2
// CHECK-NEXT: br label %endif.2
// CHECK-NEXT: else.3:
// CHECK-NEXT: br label %endif.2
// CHECK-NEXT: endif.2:
// CHECK-NEXT: %[[PHI1:\w+]] = phi i32 [ %[[S]], %then.1 ], [ %arg1, %else.3 ]
// CHECK-NEXT: br label %while.4
// CHECK-NEXT: while.4:
// CHECK-NEXT: %[[PHI2:\w+]] = phi i32 [ %[[PHI1]], %endif.2 ], [ %[[Z:\w+]], %do.5 ]
// CHECK-NEXT: %[[T:\w+]] = icmp slt i32 %[[PHI2]], %arg2
// CHECK-NEXT: %[[VOTE1:\w+]] = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %[[T]])
// CHECK-NEXT: br i1 %[[VOTE1]], label %do.5, label %done.6
// CHECK-NEXT: do.5:
// CHECK-NEXT: %[[Z]] = mul i32 %[[PHI2]], %arg2
// CHECK-NEXT: br label %while.4
// CHECK-NEXT: done.6:
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @if_and_while(%c: i1, %a: i32, %b: i32) {
    %r = scf.if %c -> (i32) {
      %s = arith.addi %a, %b : i32
      scf.yield %s : i32
    } else {
      scf.yield %a : i32
    }
    %w = scf.while (%x = %r) : (i32) -> i32 {
      %t = arith.cmpi slt, %x, %b : i32
      scf.condition(%t) %x : i32
    } do {
  ^bb0(%y: i32):
      %z = arith.muli %y, %b : i32
      scf.yield %z : i32
    }
    tt.return
  }
}

// -----

// Blocks: arguments become phis.
// CHECK-LABEL: define {{.*}} @blocks(
// CHECK: %[[READ1:\w+]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK-NEXT: %[[ICMP1:\w+]] = icmp eq i32 %[[READ1]], 0
// CHECK-NEXT: br label %body
// CHECK-NEXT: body:
// CHECK-NEXT: br i1 %arg0, label %block.1, label %block.2
// CHECK-NEXT: block.1:
// CHECK-NEXT: %[[S:\w+]] = add i32 %arg1, %arg1
// CHECK-NEXT: br label %block.2
// CHECK-NEXT: block.2:
// CHECK-NEXT: %[[PHI1:\w+]] = phi i32 [ %arg1, %body ], [ %[[S]], %block.1 ]
// CHECK-NEXT: call void asm sideeffect "@$2 st.global.b32 [$1], $0;", "r,l,b"(i32 %[[PHI1]], ptr addrspace(1) %arg2, i1 %[[ICMP1]])
// CHECK-NEXT: ret void
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @blocks(%c: i1, %a: i32, %p: !tt.ptr<i32>) {
    cf.cond_br %c, ^left, ^right(%a : i32)
  ^left:
    %s = arith.addi %a, %a : i32
    cf.br ^right(%s : i32)
  ^right(%x: i32):
    tt.store %p, %x : !tt.ptr<i32>
    tt.return
  }
}

// -----

// Loop-invariant code motion of a loop is disabled on the branches out of it and back.
// CHECK: !10 = distinct !{!10, !11, !12}
// CHECK: !11 = !{!"llvm.licm.disable"}
// CHECK-LABEL: define {{.*}} @not_hoisted(
// CHECK: br i1 {{.*}}, label %body.2, label %done.3, !llvm.loop !10
// CHECK: br label %for.1, !llvm.loop !10
// CHECK: br i1 {{.*}}, label %do.5, label %done.6, !llvm.loop !10
// CHECK: br label %while.4, !llvm.loop !10
#licm = #llvm.loop_licm<disable = true, versioningDisable = true>
#annotation = #llvm.loop_annotation<licm = #licm>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @not_hoisted(%n: i32, %p: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    } {llvm.loop_annotation = #annotation}
    %r = scf.while (%x = %n) : (i32) -> i32 {
      %c = arith.cmpi sgt, %x, %c0 : i32
      scf.condition(%c) %x : i32
    } do {
    ^bb0(%x: i32):
      %y = tt.load %p : !tt.ptr<i32>
      scf.yield %y : i32
    } attributes {llvm.loop_annotation = #annotation}
    tt.return
  }
}
