"""Write `ttt_pb2.py` and its types from `ttt.proto`: python -m kozyr.agents.remote.ttt.generate."""

from pathlib import Path

HERE = Path(__file__).parent


def generate(out: Path) -> None:
    """Write the generated code into a folder.

    Raises:
        ImportError: without grpcio-tools.
        RuntimeError: for a file that is no Protobuf.
    """
    from grpc_tools import protoc  # pyright: ignore[reportMissingTypeStubs]

    if protoc.main(["protoc", f"-I{HERE}", f"--python_out={out}", f"--pyi_out={out}", str(HERE / "ttt.proto")]):
        raise RuntimeError("ttt.proto is not as protoc wants it: see what it says above")


if __name__ == "__main__":
    generate(HERE)
