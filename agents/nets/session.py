"""Session of onnxruntime: for networks with operators that the forward pass of ours does not know, and as reference."""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from kozyr.envs.core import install_hint

_FATAL, _LONGEST = 4, 300  # severity that onnxruntime logs by itself; characters of its messages
_TYPES = {"tensor(int8)": np.int8, "tensor(int16)": np.int16, "tensor(int32)": np.int32, "tensor(float)": np.float32}


class Session:
    """A network as onnxruntime runs it, on one thread.

    Attributes:
        metadata: texts of the file by their keys.
        inputs, outputs: names and shapes of its ends, without the batch's axis.
        dtype: NumPy's type of its views, or None where it is another one.

    Args:
        content: the file.

    Raises:
        ImportError: naming the extra to install, without onnxruntime.
        ValueError: if it cannot be read.
    """

    def __init__(self, content: bytes) -> None:
        try:
            import onnxruntime  # pyright: ignore[reportMissingImports]
        except ImportError as error:
            raise ImportError(f"this network needs onnxruntime: {install_hint.command('policies')}") from error
        runtime = cast(Any, onnxruntime)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _FATAL
        try:
            self._session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has a class of its own for each cause
            raise ValueError(first_line(error)) from None
        try:
            self.metadata = cast(dict[str, str], self._session.get_modelmeta().custom_metadata_map)
        except UnicodeDecodeError:
            raise ValueError("it holds metadata that is no text") from None
        self.inputs, self.outputs = (
            [(one.name, one.shape[1:]) for one in some]
            for some in (self._session.get_inputs(), self._session.get_outputs())
        )
        self.dtype = _TYPES.get(self._session.get_inputs()[0].type) if self.inputs else None

    def __call__(self, views: NDArray[Any]) -> NDArray[np.float32]:
        """Return the logits [n, actions] of views [n, entries].

        Raises:
            ValueError: in onnxruntime's words, if it cannot go on.
        """
        (source, _), (target, _) = self.inputs[0], self.outputs[0]
        try:
            return self._session.run([target], {source: np.ascontiguousarray(views, self.dtype)})[0]
        except Exception as error:  # onnxruntime has a class of its own for each cause
            raise ValueError(first_line(error)) from None


def first_line(error: Exception) -> str:
    """Return the first line of a library's message, cut if it is long."""
    return str(error).strip().partition("\n")[0][:_LONGEST]
