"""Slow twins of best thresholds, in mpmath with many digits; no NumPy, no baserate.

Metrics are written in recall s, miss rate m, false positive rate f, specificity t and base rate p,
as in Holzmann and Klar (2024). The optimum is searched on the metric itself, by sections, without
any derivative; rates of normal populations come from the normal distribution function, for two
covariance matrices integrated over the first coordinate with the second one's interval in closed
form.
"""

import mpmath as mp

# Two bivariate normal classes: Holzmann and Klar (2024), example 5.
SCENARIO_1 = {
    "mean0": [0, 0],
    "cov0": [[2, 0.5], [0.5, 1]],
    "mean1": [2.5, 2.5],
    "cov1": [[1, -0.5], [-0.5, 2]],
}
SCENARIO_2 = {
    "mean0": [0, 0],
    "cov0": [[2, 0.3], [0.3, 1]],
    "mean1": [1.5, 1.5],
    "cov1": [[1, -0.9], [-0.9, 2]],
}


def mcc(s, m, f, t, p):
    g, h = p * s + (1 - p) * f, p * m + (1 - p) * t
    return mp.sqrt(p * (1 - p)) * (s * t - m * f) / mp.sqrt(g * h)


def kappa(s, m, f, t, p):
    n = 1 - p
    return 2 * p * n * (s * t - m * f) / (p * (p * m + n * t) + n * (p * s + n * f))


def f_beta(b):
    b2 = mp.mpf(b) ** 2
    return lambda s, m, f, t, p: (1 + b2) * p * s / (b2 * p + p * s + (1 - p) * f)


def robust_f(d0, d1, c):
    d0, d1, c = mp.mpf(d0), mp.mpf(d1), mp.mpf(c)
    return lambda s, m, f, t, p: (
        (d0 / p + d1 + 1) / (1 + c) * (c * p + p * s) / (d0 + d1 * p + p * s + (1 - p) * f)
    )


def robust_mcc(d):
    d = mp.mpf(d)

    def value(s, m, f, t, p):
        g, h = p * s + (1 - p) * f, p * m + (1 - p) * t
        return mp.sqrt(d + p * (1 - p)) * (s * t - m * f) / mp.sqrt(d + g * h)

    return value


def gilbert(s, m, f, t, p):
    k = kappa(s, m, f, t, p)
    return k / (2 - k)


def markedness(s, m, f, t, p):
    n = 1 - p
    return p * s / (p * s + n * f) - p * m / (p * m + n * t)


def negative_f1(s, m, f, t, p):
    n = 1 - p
    return 2 * n * t / (2 * n * t + p * m + n * f)


METRICS = {
    "accuracy": lambda s, m, f, t, p: p * s + (1 - p) * t,
    "balanced_accuracy": lambda s, m, f, t, p: (s + t) / 2,
    "informedness": lambda s, m, f, t, p: s - f,
    "geometric_mean": lambda s, m, f, t, p: mp.sqrt(s * t),
    "f1": f_beta(1),
    "f05": f_beta("0.5"),
    "f2": f_beta(2),
    "f1_harmonic": f_beta(1),
    "f_beta(beta=0.7)": f_beta("0.7"),
    "negative_f1": negative_f1,
    "jaccard": lambda s, m, f, t, p: p * s / (p + (1 - p) * f),
    "fowlkes_mallows": lambda s, m, f, t, p: s * mp.sqrt(p / (p * s + (1 - p) * f)),
    "matthews_correlation": mcc,
    "cohen_kappa": kappa,
    "gilbert_skill_score": gilbert,
    "markedness": markedness,
    "weighted_accuracy(weight=0.8)": (
        lambda s, m, f, t, p: mp.mpf("0.8") * p * s + (1 - mp.mpf("0.8")) * (1 - p) * t
    ),
    "robust_f(d0=0.03)": robust_f("0.03", 1, 0),
    "robust_f(d0=0.6, d1=0.7, c=0.9)": robust_f("0.6", "0.7", "0.9"),
    "robust_mcc(d=0.02)": robust_mcc("0.02"),
    "utility([[7, -3], [-2, 0.5]])": (
        lambda s, m, f, t, p: 7 * p * s - 3 * (1 - p) * f - 2 * p * m + (1 - p) * t / 2
    ),
    "net_benefit(threshold=0.15)": (
        lambda s, m, f, t, p: p * s - (1 - p) * f * mp.mpf("0.15") / mp.mpf("0.85")
    ),
    "cohen_kappa.at_base_rate(0.2)": lambda s, m, f, t, p: kappa(s, m, f, t, mp.mpf("0.2")),
}

# The quotient of the slopes in specificity and recall, in positive terms only.
QUOTIENTS = {
    "accuracy": lambda s, m, f, t, p: (1 - p) / p,
    "weighted_accuracy(weight=0.8)": lambda s, m, f, t, p: (1 - p) / (4 * p),
    "balanced_accuracy": lambda s, m, f, t, p: mp.mpf(1),
    "jaccard": lambda s, m, f, t, p: s * (1 - p) / (p + (1 - p) * f),
    "f1": lambda s, m, f, t, p: s * (1 - p) / (p + (1 - p) * f),
    "f05": lambda s, m, f, t, p: s * (1 - p) / (p / 4 + (1 - p) * f),
    "f2": lambda s, m, f, t, p: s * (1 - p) / (4 * p + (1 - p) * f),
    "cohen_kappa": lambda s, m, f, t, p: ((1 - p) * s + p * m) / ((1 - p) * f + p * t),
    "yule_q": lambda s, m, f, t, p: s * m / (t * f),
    "yule_y": lambda s, m, f, t, p: s * m / (t * f),
    "matthews_correlation": lambda s, m, f, t, p: _mcc_quotient(s, m, f, t, p, 0),
    "chi_squared": lambda s, m, f, t, p: _mcc_quotient(s, m, f, t, p, 0),
    "robust_mcc(d=0.02)": lambda s, m, f, t, p: _mcc_quotient(s, m, f, t, p, mp.mpf("0.02")),
    "robust_f(d0=0.03)": lambda s, m, f, t, p: s * (1 - p) / (mp.mpf("0.03") + p + (1 - p) * f),
    "robust_f(d0=0.6, d1=0.7, c=0.9)": lambda s, m, f, t, p: (
        (mp.mpf("0.9") + s) * (1 - p) / (mp.mpf("0.6") - mp.mpf("0.2") * p + (1 - p) * f)
    ),
}


def _mcc_quotient(s, m, f, t, p, d):
    a, n = s * t + m * f, 1 - p
    return (n * a + 2 * p * s * m + 2 * d) / (p * a + 2 * n * t * f + 2 * d)


def lda_rates(distance):
    """Return a function of log δ: recall, miss rate, false positive rate, specificity."""
    d = mp.mpf(distance)

    def rates(x):
        return (
            mp.ncdf(d / 2 - x / d),
            mp.ncdf(x / d - d / 2),
            mp.ncdf(-x / d - d / 2),
            mp.ncdf(x / d + d / 2),
        )

    return rates


def qda_rates(mean0, cov0, mean1, cov1):
    """Return a function of log δ for two bivariate normal classes."""
    classes = {0: (mean0, cov0), 1: (mean1, cov1)}
    classes = {
        k: ([mp.mpf(v) for v in mean], [[mp.mpf(v) for v in row] for row in cov])
        for k, (mean, cov) in classes.items()
    }
    quadratic = _log_ratio(classes)

    def rates(x):
        s, m = _above_and_below(classes[1], quadratic, x)
        f, t = _above_and_below(classes[0], quadratic, x)
        return s, m, f, t

    return rates


def _log_density(mean, cov):
    """Return coefficients (xx, xy, yy, x, y, 1) of the log density, without log 2π."""
    (a, b), (_, c) = cov
    det = a * c - b * b
    u, v, w = c / det, -b / det, a / det
    mx, my = mean
    constant = -(u * mx * mx + 2 * v * mx * my + w * my * my) / 2 - mp.log(det) / 2
    return -u / 2, -v, -w / 2, u * mx + v * my, v * mx + w * my, constant


def _log_ratio(classes):
    one, zero = _log_density(*classes[1]), _log_density(*classes[0])
    return [a - b for a, b in zip(one, zero, strict=True)]


def _above_and_below(law, quadratic, x):
    """Return P(log ratio > x) and P(log ratio <= x), each as an integral of its own."""
    (mx, my), ((a, b), (_, c)) = law
    xx, xy, yy, lx, ly, constant = quadratic
    sd, rest = mp.sqrt(a), mp.sqrt(c - b * b / a)

    def coefficients(u):
        return yy, xy * u + ly, xx * u * u + lx * u + constant - x

    # Discriminant of the quadratic in y, itself a quadratic in the first coordinate.
    disc = (xy * xy - 4 * yy * xx, 2 * xy * ly - 4 * yy * lx, ly * ly - 4 * yy * (constant - x))
    breaks = [root for root in mp.polyroots(list(disc)) if mp.im(root) == 0]
    reach = 16 * sd
    points = sorted(
        {mx - reach, mx, mx + reach, *(mp.re(r) for r in breaks if abs(r - mx) < reach)}
    )

    def share(u, above):
        p2, p1, p0 = coefficients(u)
        centre = my + b / a * (u - mx)
        d = p1 * p1 - 4 * p2 * p0
        if d <= 0:
            inside, outside = mp.mpf(0), mp.mpf(1)
        else:
            roots = sorted([(-p1 - mp.sqrt(d)) / (2 * p2), (-p1 + mp.sqrt(d)) / (2 * p2)])
            low, high = ((r - centre) / rest for r in roots)
            outside = mp.ncdf(low) + mp.ncdf(-high)
            inside = mp.ncdf(high) - mp.ncdf(low) if low < 0 else mp.ncdf(-low) - mp.ncdf(-high)
        between_is_above = p2 < 0
        part = inside if above == between_is_above else outside
        return part * mp.npdf(u, mx, sd)

    return tuple(mp.quad(lambda u, above=above: share(u, above), points) for above in (True, False))


def best_in_lda(name, distance, base_rate, digits=50):
    """Return (δ*, recall, specificity, value): by a scan of the metric, then sections."""
    with mp.workdps(digits):
        rates, p = lda_rates(distance), mp.mpf(base_rate)

        def value(x):
            return METRICS[name](*rates(x), p)

        width = 15 * mp.mpf(distance) + 5
        grid = [-width + 2 * width * k / 120 for k in range(121)]
        k = max(range(121), key=lambda i: value(grid[i]))
        assert 0 < k < 120, "no maximum inside"
        x = _golden(value, grid[k - 1], grid[k + 1])
        s, _, _, t = rates(x)
        return tuple(float(v) for v in (mp.exp(x), s, t, value(x)))


def excess(name, rates, base_rate, ratio, digits=25):
    """Return the quotient of the metric's slopes over the ratio, less one, and the metric."""
    with mp.workdps(digits):
        ratio, p = mp.mpf(ratio), mp.mpf(base_rate)
        s, m, f, t = rates(mp.log(ratio))

        def value(s, t):
            return METRICS[name](s, 1 - s, 1 - t, t, p)

        quotient = mp.diff(value, (s, t), (0, 1)) / mp.diff(value, (s, t), (1, 0))
        return quotient / ratio - 1, float(METRICS[name](s, m, f, t, p)), float(s), float(t)


def _golden(value, low, high):
    shrink = (mp.sqrt(5) - 1) / 2
    a, b = high - shrink * (high - low), low + shrink * (high - low)
    at_a, at_b = value(a), value(b)
    while high - low > mp.mpf(10) ** -14:
        if at_a > at_b:
            high, b, at_b = b, a, at_a
            a = high - shrink * (high - low)
            at_a = value(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + shrink * (high - low)
            at_b = value(b)
    return (low + high) / 2
