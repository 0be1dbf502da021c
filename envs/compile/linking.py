"""Linking: a function that compiled code calls is optimised within its callers and gets no code of its own.

Numba optimises every function with all that it calls, and makes machine code of it in case that Python calls it, too.
A game has a hundred functions, and Python calls five. So a function that is called from both has two forms.
"""

from typing import Any

from numba.core import codegen, compiler, environment

_codegen: Any = codegen
_compiler: Any = compiler
_environment: Any = environment
_ENVIRONMENT = "_ZN08NumbaEnv"  # how the names of places begin that hold the address of an object of Numba's


class _NotRun:
    """Stands for the generator of machine code where there is none to write addresses into."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, env: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


class Part(_codegen.JITCodeLibrary):
    """Code to link into other code.

    Args:
        codegen: the generator of machine code for those.
        name: of the function.
        bitcode: the code, if it was kept.
    """

    def __init__(self, codegen: Any, name: str, bitcode: bytes | None = None) -> None:
        super().__init__(codegen, name)
        this: Any = self
        this._codegen = _NotRun(codegen)
        this.enable_object_caching()
        if bitcode is not None:
            this._final_module = _codegen.ll.parse_bitcode(bitcode)
            this._finalize_final_module()

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        this: Any = self
        this._finalize_dynamic_globals()
        this._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: there is no machine code."""
        return 0

    def serialize_using_object_code(self) -> tuple[str, bytes]:
        """Return the name and the code from which it can be made again."""
        this: Any = self
        return this.name, this._get_module_for_linking().as_bitcode()


class _Whole(_codegen.JITCodeLibrary):
    """Code that Python calls, with all its parts."""

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        this: Any = self
        for one in this._final_module.global_variables:
            if one.name.startswith(_ENVIRONMENT) and not one.is_declaration:
                env = _environment.lookup_environment(one.name)
                if env is not None:
                    this._codegen.set_env(one.name, env)


class _Making(_compiler.Compiler):
    """Numba's compiler, which puts code for this processor into a library of ours."""

    library: Any

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        this: Any = self
        codegen = this.state.targetctx.codegen()
        if type(codegen) is _codegen.JITCPUCodegen:  # and not what writes for browsers
            this.state.library = self.library(codegen, func.__qualname__)
            this.state.library.enable_object_caching()
        base: Any = super()
        return base.compile_extra(func)


class Linking(_Making):
    """The compiler of what compiled code calls."""

    library = Part


class Running(_Making):
    """The compiler of what Python calls."""

    library = _Whole
