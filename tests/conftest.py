"""Options of the whole test run."""

import os

import pytest
from hypothesis import settings

settings.register_profile("any machine", deadline=None)  # how long an example takes says nothing of it
# What lands is judged by the same examples every time; new ones are looked for where somebody can look at them.
settings.register_profile("ci", settings.get_profile("any machine"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "any machine")


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also run what takes minutes or gigabytes")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        for item in items:
            if "long" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="takes minutes or gigabytes; run with --long"))
