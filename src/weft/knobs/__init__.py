"""Settings: launch hooks, and options from environment variables.

    weft.knobs.runtime.launch_enter_hook.add(lambda metadata: print(metadata.get()["name"]))
    weft.knobs.cache.dir                  # WEFT_CACHE_DIR, else the user's cache directory
    weft.knobs.autotuning.print           # WEFT_PRINT_AUTOTUNING=1
    weft.knobs.amd.use_async_copy = True  # WEFT_HIP_USE_ASYNC_COPY=1
    with weft.knobs.compilation.scope():  # restores assignments, hooks and the environment
        weft.knobs.compilation.always_compile = True

The names are those of `triton.knobs`. An assigned value has precedence over the environment.
Environment variables are read at each access: first weft's, then Triton's of the same meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.knobs.compile_settings import CompileSettings
from weft.knobs.descriptors import (
    Env,
    env_base,
    env_bool,
    env_class,
    env_int,
    env_nvidia_tool,
    env_opt_bool,
    env_opt_str,
    env_str,
    env_str_callable_default,
    is_on,
    setenv,
    toenv,
)
from weft.knobs.environment import unread_variables
from weft.knobs.groups import (
    amd_knobs,
    autotuning_knobs,
    base_knobs,
    build_knobs,
    cache_knobs,
    compilation_knobs,
    language_knobs,
    nvidia_knobs,
    proton_knobs,
    redis_knobs,
    runtime_knobs,
)
from weft.knobs.hooks import HookChain
from weft.lazy_attributes import lazy_getattr

if TYPE_CHECKING:
    from weft.knobs.compile_times import CompileTimes
    from weft.knobs.nvidia_tool import NvidiaTool

__all__ = [
    "CompileSettings",
    "CompileTimes",
    "Env",
    "HookChain",
    "NvidiaTool",
    "amd",
    "amd_knobs",
    "autotuning",
    "autotuning_knobs",
    "base_knobs",
    "build",
    "build_knobs",
    "cache",
    "cache_knobs",
    "compilation",
    "compilation_knobs",
    "env",
    "env_base",
    "env_bool",
    "env_class",
    "env_int",
    "env_nvidia_tool",
    "env_opt_bool",
    "env_opt_str",
    "env_str",
    "env_str_callable_default",
    "is_on",
    "language",
    "language_knobs",
    "nvidia",
    "nvidia_knobs",
    "propagate_env",
    "proton",
    "proton_knobs",
    "redis",
    "redis_knobs",
    "refresh_knobs",
    "runtime",
    "runtime_knobs",
    "setenv",
    "toenv",
    "unread_variables",
]

env = Env()
"""Assign it to a setting to read the environment again."""
propagate_env = True
"""Whether assigned values are written to environment variables, for child processes."""

build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
language = language_knobs()
nvidia = nvidia_knobs()
amd = amd_knobs()
proton = proton_knobs()

__getattr__ = lazy_getattr(
    __name__,
    {
        "CompileTimes": "weft.knobs.compile_times:CompileTimes",
        "NvidiaTool": "weft.knobs.nvidia_tool:NvidiaTool",
    },
)


def refresh_knobs() -> None:
    """Let the next launch of each kernel read the environment variables of all settings again."""
    CompileSettings.number = 0
