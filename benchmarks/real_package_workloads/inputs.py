"""Inputs of operations, and how an operation is run forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch
import torch.nn.functional as nn

__all__ = ["Build", "Inputs", "Operation", "Tensor"]

Tensor = torch.Tensor


@dataclass(frozen=True, slots=True)
class Inputs:
    """Makes tensors on a device.

    Attributes:
        device: "cuda" or "cpu".
        full: Whether sizes are those of a benchmark.
        dtype: The element type of activations.
    """

    device: str
    full: bool
    dtype: torch.dtype = torch.bfloat16

    def size(self, full: int, small: int) -> int:
        """Choose a size."""
        return full if self.full else small

    def normal(self, *shape: int, grad: bool = True, dtype: torch.dtype | None = None) -> Tensor:
        """Make a tensor of normally distributed numbers."""
        tensor = torch.randn(*shape, device=self.device).to(dtype or self.dtype)
        return tensor.requires_grad_(grad)

    def gate(self, *shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
        """Make a tensor of logarithms of gates."""
        gates = nn.logsigmoid(torch.randn(*shape, device=self.device)).to(dtype)
        return gates.requires_grad_()

    def share(self, *shape: int, dtype: torch.dtype | None = None) -> Tensor:
        """Make a tensor of numbers between 0 and 1."""
        numbers = torch.rand(*shape, device=self.device)
        return numbers.to(dtype or self.dtype).requires_grad_()

    def below(self, limit: int, *shape: int) -> Tensor:
        """Make a tensor of indices."""
        return torch.randint(0, limit, shape, device=self.device)


@dataclass(frozen=True, slots=True)
class Operation:
    """A function with its arguments; the tensors that require gradients get them.

    Attributes:
        function: The function.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
        has_backward: Whether it has a backward function.
    """

    function: Callable[..., Any]
    args: Sequence[Any]
    kwargs: dict[str, Any] = field(default_factory=dict)
    has_backward: bool = True

    def run(self, *, copy: bool = False) -> list[Tensor]:
        """Run it forward and backward.

        Args:
            copy: Copy the arguments first, for functions that write to them.

        Returns:
            The outputs, and the gradients.
        """
        args, kwargs = self.args, self.kwargs
        if copy:
            args = [_copied(each) for each in args]
            kwargs = {name: _copied(each) for name, each in kwargs.items()}
        result = self.function(*args, **kwargs)
        members = result if isinstance(result, tuple | list) else [result]
        outputs = [each for each in members if isinstance(each, Tensor)]
        copies = [each.detach().clone() for each in outputs] if copy else []
        sources = [
            each
            for each in (*args, *kwargs.values())
            if isinstance(each, Tensor) and each.requires_grad
        ]
        differentiable = [each for each in outputs if each.requires_grad]
        if not (self.has_backward and sources and differentiable):
            return copies
        # Gradients of a softmax are zero for equal seeds.
        seeds = [_seed(each.shape, each.dtype, each.device) for each in differentiable]
        gradients = torch.autograd.grad(differentiable, sources, seeds, allow_unused=True)
        return [*copies, *(each for each in gradients if each is not None)]


@cache
def _seed(shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Create the gradient of an output: numbers between 0.5 and 1.5 without a pattern."""
    numbers = torch.arange(shape.numel(), device=device, dtype=torch.float64)
    return (1 + 0.5 * torch.sin(numbers * numbers)).to(dtype).view(shape)


def _copied(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)


Build = Callable[[Inputs], Operation]
"""Creates the inputs of an operation."""
