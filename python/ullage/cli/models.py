"""``--model``: the estimator of a model, by its name."""

import typer

from ullage import Estimator, UnknownModel


def estimator(model: str | None) -> Estimator:
    """Return the estimator of a model; without one, that of the script rule.

    Raises:
        typer.BadParameter: when no profile is known for the model.
    """
    try:
        return Estimator() if model is None else Estimator.for_model(model)
    except UnknownModel as error:
        raise typer.BadParameter(str(error), param_hint="--model") from error
