"""Fit a profile to counts from a real tokenizer.

``calibrate`` takes texts and what each costs, and gives the bytes of a profile. Everything here needs scipy (extra
``calibrate``); using a profile does not.
"""

from ullage.accuracy import Errors
from ullage.calibrate.evaluate import leave_one_out
from ullage.calibrate.fit import Corpus, Settings, calibrate
from ullage.calibrate.margins import margins
from ullage.calibrate.profile import fit_profile

__all__ = ["Corpus", "Errors", "Settings", "calibrate", "fit_profile", "leave_one_out", "margins"]
