"""`estimator_of`: what estimates the tokens of a request, where no model is named for it."""

from ullage.errors import UnknownModel
from ullage.estimator import Estimator, estimator_for


def model_of(request: object) -> str | None:
    """The model that a request names; None where it names none."""
    named = request.get("model") if isinstance(request, dict) else None
    return named if isinstance(named, str) else None


def estimator_of(request: object, model: str | None) -> Estimator:
    """That of the model; or else that of the request's own, if it has a profile; or else the script rule.

    Raises:
        UnknownModel: when no profile is known for the model that is given.
    """
    if model is not None:
        return estimator_for(model)
    own = model_of(request)
    if own is not None:
        try:
            return estimator_for(own)
        except UnknownModel:
            pass
    return Estimator()
