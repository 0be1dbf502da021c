"""Forward pass of ONNX networks in compiled code: file, plan, instructions. It needs no extra, and runs in browsers."""
