"""What compiling a kernel for a GPU leaves: the text of each stage, and how it is launched.

An artifact knows no device: it is loaded on each GPU of its kind, and kept on disk (store.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from weft.compiler.cache import Entry
from weft.compiler.options import CompileOptions

__all__ = ["Artifact", "Facts", "Stages", "TensorMapFacts"]

TensorMapFacts = tuple[tuple[int, ...], int, str]

_BINARY = ("cubin", "hsaco")


@dataclass(frozen=True, slots=True)
class Facts:
    """How a compiled kernel is launched, and what it was compiled for.

    Args: name: of its entry.  target: "cuda:90".  signature: its one-line form.
          formats: of the entry's arguments as `struct` writes them, one text per argument.
          threads: of a block.  shared: bytes of dynamic shared memory.
          maps: boxes, bytes of swizzled rows and elements of the descriptors that the copy engine
          is given, in the order of the arguments.  scratch: bytes of global memory that each
          program needs for itself; its address is one more argument.
    """

    name: str
    target: str
    signature: str
    formats: tuple[str, ...]
    threads: int
    shared: int
    options: CompileOptions
    maps: tuple[TensorMapFacts, ...] = ()
    scratch: int = 0


class Stages(Mapping[str, "str | bytes"]):
    """What each stage left: IR and assembly as text, a cubin as bytes."""

    def __init__(self, blobs: Mapping[str, bytes]) -> None:
        self._blobs = blobs

    def __getitem__(self, stage: str) -> Any:
        if stage not in self._blobs:
            raise KeyError(f"{stage}: compiled to {', '.join(self._blobs)}")
        return self._blobs[stage] if stage in _BINARY else self._blobs[stage].decode()

    def __contains__(self, stage: object) -> bool:
        return stage in self._blobs

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def __len__(self) -> int:
        return len(self._blobs)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A compiled kernel.

    hash: of all that it depends on; its key on disk.  blobs: what each stage left, by its name.
    """

    hash: str
    facts: Facts
    blobs: Mapping[str, bytes] = field(repr=False)

    @property
    def image(self) -> bytes:
        """Return what a driver loads: a cubin where there is one, else PTX."""
        return self.blobs["cubin"] if "cubin" in self.blobs else self.blobs["ptx"]

    def plain(self) -> dict[str, Any]:
        """Return the facts as JSON can say them."""
        return asdict(self.facts)

    @staticmethod
    def read(key: str, entry: Entry) -> Artifact:
        """Return the artifact that an entry of the store holds."""
        said = dict(entry.facts)
        options = CompileOptions(**said.pop("options"))
        formats = tuple(said.pop("formats"))
        maps = tuple((tuple(box), *rest) for box, *rest in said.pop("maps", ()))
        facts = Facts(**said, formats=formats, options=options, maps=maps)
        return Artifact(key, facts, entry.blobs)
