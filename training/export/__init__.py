"""Policies as files: ONNX, compiled networks, cards and uploads."""
