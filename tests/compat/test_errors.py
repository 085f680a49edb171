"""Triton's names of errors are weft's errors."""

from weft import errors
from weft.compat import errors as triton_errors
from weft.compat.as_triton import as_triton


def test_every_name_is_a_weft_error():
    classes = [getattr(triton_errors, name) for name in triton_errors.__all__]
    assert all(issubclass(each, errors.WeftError) for each in classes)
    assert triton_errors.OutOfResources is errors.OutOfResourcesError
    assert not hasattr(errors, "OutOfResources")


def test_tritons_modules_have_them():
    with as_triton():
        from triton.compiler.errors import CompilationError
        from triton.runtime.errors import OutOfResources, PTXASError
    assert CompilationError is errors.CompilationError
    assert OutOfResources is errors.OutOfResourcesError
    assert PTXASError is errors.CodegenError
