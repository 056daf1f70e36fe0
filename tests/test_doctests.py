"""The examples in the docstrings of the Rust half; pytest collects those of the Python half by itself."""

import doctest

import pytest

import ullage
from ullage import _core


@pytest.mark.parametrize("name", [name for name in ullage.__all__ if hasattr(_core, name) and name != "__version__"])
def test_examples_hold(name):
    finder = doctest.DocTestFinder(exclude_empty=True)
    value = getattr(_core, name)
    examples = [test for test in finder.find(value, name, module=ullage, globs={}) if test.examples]
    for test in examples:
        assert doctest.DocTestRunner().run(test).failed == 0
    assert examples or isinstance(value, type) or name not in ullage.__all__, f"{name} has no example"
