"""Scripts beside a WebAssembly module."""
