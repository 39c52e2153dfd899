"""`baserate sample-size`: how many cases it takes to validate a model of probabilities."""

from baserate.cli._options import Confidence, Format, Output
from baserate.cli._output import chosen_format, deliver
from baserate.errors import InvalidArgumentError


def sample_size(
    *,
    base_rate: float | None = None,
    auc: float | None = None,
    lp_mean: float | None = None,
    lp_sd: float | None = None,
    beta_a: float | None = None,
    beta_b: float | None = None,
    oe_width: float = 0.2,
    slope_width: float = 0.2,
    auc_width: float = 0.1,
    net_benefit_width: float = 0.2,
    threshold: float | None = None,
    confidence: Confidence = 0.95,
    format: Format = None,  # noqa: A002
    output: Output = None,
) -> int:
    """Say how many cases it takes to validate a model of probabilities, before there are any.

    Parameters
    ----------
    base_rate
        Share of positives to be expected.
    auc
        Area under the ROC curve to be expected.
    lp_mean
        Mean of the log odds of the predicted risks, if they are normal; with --lp-sd.
    lp_sd
        Their standard deviation.
    beta_a
        First parameter of the Beta law of the predicted risks; with --beta-b. Without either law,
        log odds are normal in each class, of the base rate and ROC area.
    beta_b
        Its second parameter.
    oe_width
        How wide the interval of observed : expected may be.
    slope_width
        How wide that of the calibration slope may be.
    auc_width
        How wide that of the ROC area may be.
    net_benefit_width
        How wide that of the standardized net benefit at the threshold may be.
    threshold
        Probability from which on cases will be decided positive; for net benefit.
    """
    from baserate.inference import validation_sample_size
    from baserate.report.sample_size import render_sample_size

    form = chosen_format(format, output)
    found = validation_sample_size(
        base_rate=base_rate,
        auc=auc,
        linear_predictor=_both("--lp-mean and --lp-sd", lp_mean, lp_sd),
        beta=_both("--beta-a and --beta-b", beta_a, beta_b),
        oe_width=oe_width,
        slope_width=slope_width,
        auc_width=auc_width,
        net_benefit_width=net_benefit_width,
        threshold=threshold,
        confidence_level=confidence,
    )
    deliver(render_sample_size(found, form), output)
    return 0


def _both(names: str, first: float | None, second: float | None) -> tuple[float, float] | None:
    if first is None and second is None:
        return None
    if first is None or second is None:
        rule, given = "must both be given", (first, second)
        raise InvalidArgumentError.from_rule(names, rule, given, "pass the other one, too")
    return first, second
