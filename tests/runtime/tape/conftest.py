"""The tape goes on for one test and off again, so that the rest of the process records nothing."""
from __future__ import annotations

import pytest

from torch2ms.runtime import _backend, tape


@pytest.fixture
def started():
    tape.start()
    yield
    _backend.stop_recording()
