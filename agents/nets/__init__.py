"""Trained policies as agents: ONNX files, condensed networks, the Hugging Face Hub."""
