"""What importing ullage costs and exports."""

import subprocess
import sys

import ullage


def test_numpy_is_not_imported_before_an_array_is_asked_for():
    code = (
        "import sys, ullage; ullage.estimate('tea'); assert 'numpy' not in sys.modules;"
        "ullage.Estimator().estimate_batch(['tea']); assert 'numpy' in sys.modules; print('ok')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "ok\n"


def test_every_public_name_is_there_and_documented():
    for name in ullage.__all__:
        value = getattr(ullage, name)
        assert name == "__version__" or value.__doc__, name
