"""Options of the whole test run."""

import pytest
from hypothesis import settings

settings.register_profile("any machine", deadline=None)  # how long an example takes says nothing of it
settings.load_profile("any machine")


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also run what takes minutes or gigabytes")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        for item in items:
            if "long" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes or gigabytes; run with --long"))
