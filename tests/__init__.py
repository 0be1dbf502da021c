"""Tests, oracles and benchmarks of kozyr."""
