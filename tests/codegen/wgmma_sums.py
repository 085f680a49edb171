"""TTGIR of a loop that accumulates wgmma results, with an operand in shared memory."""

from __future__ import annotations

DATA, SUMS = "tensor<64x64xf16, #b>", "tensor<64x64xf32, #mma>"
_STORED = """\
  %data = tt.load %xp : tensor<64x64x!tt.ptr<f16>, #b>
  %a = ttg.local_alloc %data : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #s, #smem>
  ttng.fence_async_shared {bCluster = false}
"""
_COPIED = """\
  %a = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #s, #smem, mutable>
  %t = ttg.async_copy_global_to_local %xp, %a : tensor<64x64x!tt.ptr<f16>, #b> -> <64x64xf16, #s, #smem, mutable>
  %g = ttg.async_commit_group tokens %t
  %l = ttg.async_wait %g {num = 0 : i32}
"""  # noqa: E501


def sums(*, copied: bool = False) -> str:
    """Return a kernel: y = 2 · n · x @ x of 64 x 64, n is the third argument modulo 4.

    Args: copied: whether x is copied asynchronously; else it is loaded and stored.
    """
    load = _COPIED if copied else _STORED
    view = f"!ttg.memdesc<64x64xf16, #s, #smem{', mutable' if copied else ''}>"
    return f"""
#b = #ttg.blocked<{{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}}>
#mma = #ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}}>
#s = #ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32}} {{
tt.func public @sums(%x: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}, %y: !tt.ptr<f32> {{tt.divisibility = 16 : i32}}, %given: i32) {{
  %zero = arith.constant dense<0.0> : {SUMS}
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %n = arith.remsi %given, %c4 : i32
  %r = tt.make_range {{start = 0 : i32, end = 64 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 1, parent = #b}}>>
  %re = tt.expand_dims %r {{axis = 1 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 1, parent = #b}}>> -> tensor<64x1xi32, #b>
  %c = tt.make_range {{start = 0 : i32, end = 64 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 0, parent = #b}}>>
  %ce = tt.expand_dims %c {{axis = 0 : i32}} : tensor<64xi32, #ttg.slice<{{dim = 0, parent = #b}}>> -> tensor<1x64xi32, #b>
  %width = arith.constant dense<64> : tensor<64x1xi32, #b>
  %rw = arith.muli %re, %width : tensor<64x1xi32, #b>
  %rb = tt.broadcast %rw : tensor<64x1xi32, #b> -> tensor<64x64xi32, #b>
  %cb = tt.broadcast %ce : tensor<1x64xi32, #b> -> tensor<64x64xi32, #b>
  %at = arith.addi %rb, %cb : tensor<64x64xi32, #b>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #b>
  %xp = tt.addptr %xs, %at : tensor<64x64x!tt.ptr<f16>, #b>, tensor<64x64xi32, #b>
{load}  %two:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero, %q = %zero) -> ({SUMS}, {SUMS}) : i32 {{
    %d = ttng.warp_group_dot %a, %a, %p {{inputPrecision = 0 : i32, isAsync = true}} : {view} * {view} -> {SUMS}
    %e = ttng.warp_group_dot %a, %a, %q {{inputPrecision = 0 : i32, isAsync = true}} : {view} * {view} -> {SUMS}
    %w:3 = ttng.warp_group_dot_wait %d, %e, %a {{pendings = 1 : i32}} : {SUMS}, {SUMS}, {view}
    scf.yield %w#0, %w#1 : {SUMS}, {SUMS}
  }}
  %done:2 = ttng.warp_group_dot_wait %two#0, %two#1 {{pendings = 0 : i32}} : {SUMS}, {SUMS}
  %sum = arith.addf %done#0, %done#1 : {SUMS}
  %out = ttg.convert_layout %sum : {SUMS} -> tensor<64x64xf32, #b>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #b>
  %yp = tt.addptr %ys, %at : tensor<64x64x!tt.ptr<f32>, #b>, tensor<64x64xi32, #b>
  tt.store %yp, %out : tensor<64x64x!tt.ptr<f32>, #b>
  tt.return
}}
}}
"""  # noqa: E501
