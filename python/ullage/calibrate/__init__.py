"""Fit a profile to counts from a real tokenizer.

``calibrate`` takes texts and what each costs, and gives the bytes of a profile. Everything here needs scipy (extra
``calibrate``); using a profile does not.
"""

from ullage.calibrate.evaluate import Errors, leave_one_out
from ullage.calibrate.fit import Corpus, Settings, calibrate

__all__ = ["Corpus", "Errors", "Settings", "calibrate", "leave_one_out"]
