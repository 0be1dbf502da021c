"""Layers that several networks are made of."""

from itertools import pairwise

from torch import nn


def stacked(widths: list[int], activation: type[nn.Module]) -> list[nn.Module]:
    """Return linear layers of these widths, each with the module that follows it."""
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), activation()]
    return layers
