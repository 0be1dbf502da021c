"""Bundled policies, each an ONNX file with its card; `kozyr.agents.load("durak:policy")` finds them."""
