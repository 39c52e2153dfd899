"""What the papers misprint in words, signs and references, and nothing can be computed from.

Each was read in the text at hand and follows from what stands beside it. Slips that change a number
are cells of the tables, and recomputed.
"""

from collections.abc import Mapping
from types import MappingProxyType

from papers.cells import Misprint

_CHIMPS = (
    Misprint(
        where="equation 5",
        printed="Var(y)",
        right="Var(Y)",
        why="the variance is of the random number of false alarms",
        origin="our copy",
    ),
    Misprint(
        where="equations 8 and 21",
        printed="f_yy(x0, y0) = 2x/(x + y)^3 and its balanced form",
        right="f_yy(x, y)",
        why="the right sides hold x and y; the point is put in later",
    ),
    Misprint(
        where="appendix A.1, E[AUC] = 1/2",
        printed="derived for labels tossed by a coin",
        right="also for random continuous scores, with another variance",
        why="the variance is (n + 1)/(12 n1 n2) for scores and g(1 - g) n/(4 n1 n2) for labels",
    ),
    Misprint(
        where="appendix A.2, bounds of terms of order 1/n",
        printed='"bounded" by constants such as (1 - g)/(8g)',
        right="suprema, approached when one class keeps a single case",
        why="with a rare class these terms are not small, however large n is; errors of order "
        "1/n² are so for fixed α and g only",
    ),
    Misprint(
        where="section 4, TPR at g = 1 and TNR at g = 0",
        printed="(Q - E[Q])/(1 - E[Q])",
        right="no value",
        why="guessing is perfect there: 0/0",
    ),
)

_DRAW = (
    Misprint(
        where="2.3, 3.3 and 6.3, discrete optimisers",
        printed="θ*_min in argmin E = argmax {1 - θ*} = {1}",
        right="argmin {1 - θ*} = {1}",
        why="1 - θ* is least at θ* = 1",
    ),
    Misprint(
        where="8.3, discrete optimisers",
        printed="E[FNR]",
        right="E[FPR]",
        why="section 8 is on the false positive rate",
    ),
    Misprint(
        where="17.3, discrete optimisers",
        printed="E[Acc]",
        right="E[BAcc]",
        why="section 17 is on balanced accuracy",
    ),
    Misprint(
        where="8.1",
        printed="N := M - P should hold",
        right="N := M - P > 0 should hold",
        why="the sentence goes on: otherwise, the denominator is zero",
    ),
    Misprint(
        where="11.1",
        printed="θ > 1/(2M)",
        right="θ ≥ 1/(2M)",
        why="as section 9 has it for the same domain: 1/2 is rounded up to 1",
    ),
    Misprint(
        where="19.3, P = M",
        printed="[0, 1 - 1/(2M)]",
        right="[0, 1 - 1/(2M))",
        why="two lines before the set is half open, as it must be: at its end M is rounded to",
    ),
    Misprint(
        where="18.1, C(M, P, θ)",
        printed="√⌊Mθ⌉ · P(M - P)(M - ⌊Mθ⌉)",
        right="√(⌊Mθ⌉ · P(M - P)(M - ⌊Mθ⌉))",
        why="equation 17 has the root over the whole product",
        origin="our copy",
    ),
    Misprint(
        where="21.3",
        printed="the maximum expectation can be achieved by randomly predicting 50",
        right="half of the cases as positive",
        why="the sentence is cut off; a parenthesis of 21.2 is not closed",
        origin="our copy",
    ),
    Misprint(
        where="23.3",
        printed="D(TS), P(TS = k)",
        right="D(TP), P(TP = k)",
        why="the sum is over the number of true positives",
    ),
    Misprint(
        where="23.3",
        printed="such that P(TP = k')",
        right="such that P(TP = k') > 0",
        why="the comparison is missing",
    ),
    Misprint(
        where="throughout",
        printed="⌊M · θ⌋ in a good part of the formulas",
        right="⌊M · θ⌉",
        why="only rounding to the nearest fits the intervals [0, 1/(2M)) and [1 - 1/(2M), 1]",
        origin="our copy",
    ),
    Misprint(
        where="9, 10, 11, 12, 14, 15, 18 and 19, optimisers",
        printed="θ_min = θ_max in a set",
        right="the sets of both are the same",
        why="any element of the set minimises and any maximises; they need not be equal",
    ),
    Misprint(
        where="13, F_β",
        printed="strictly increasing in θ*",
        right="for β > 0 alone, as assumed",
        why="F_0 is precision, which is constant in θ*",
    ),
    Misprint(
        where="section 1, ⌊Mθ⌉",
        printed="rounding, without saying how a half is rounded",
        right="a half is rounded up",
        why="the intervals need it; rounding halves to even gives k = 0 at θ = 1/(2M)",
    ),
    Misprint(
        where="19 and 22",
        printed='"shuffle approach", "this chapter"',
        right="Dutch Draw, this supplement",
        why="words of a thesis that the text comes from",
    ),
)

_ROBUST = (
    Misprint(
        where="section 3.2, Bayes classifier",
        printed="argmin",
        right="argmax",
        why="larger values are better; Theorem 3 has argmax",
    ),
    Misprint(
        where="Theorem 3",
        printed="δ* is determined by (4.3)",
        right="δ* solves (4.3)",
        why="necessary and not sufficient: a root may be a minimum, and under Assumption 1 alone "
        "no best cut need exist, as Yule's Q shows",
    ),
    Misprint(
        where="example 5",
        printed="thresholds of Yule's coefficients of about 6 and 4",
        right="where they are smallest",
        why="6.0408 and 3.8172 are the only stationary points, and minima",
    ),
    Misprint(
        where="example 2",
        printed="δ decreases much faster",
        right="δ̃ decreases much faster",
        why="δ remains bounded, says the same sentence; section 6 writes δ for δ̃ as well",
        origin="our copy",
    ),
    Misprint(
        where="Table 3, robust F",
        printed="no parameters",
        right="c = 0, d0 = 0.3, d1 = 1",
        why="these alone fit the five values to their last digit",
    ),
    Misprint(
        where="(3.1)",
        printed="the number of two displays",
        right="two numbers",
        why="the relation of thresholds and the monotonicity of the metric are both called (3.1)",
    ),
    Misprint(
        where="(4.2)",
        printed="M̄, π_|0",
        right="M̃, π_0|0",
        why="the metric on the left of (3.1)",
        origin="our copy",
    ),
    Misprint(
        where="section 4",
        printed="P_1 and P_2",
        right="P_1 and P_0",
        why="the classes are 0 and 1",
    ),
    Misprint(
        where="appendix A, (A.2)",
        printed="given φ in (0, 1)",
        right="given π in (0, 1)",
        why="φ is the classifier",
    ),
    Misprint(
        where="section 5",
        printed="c_2",
        right="c_r",
        why="the constant of (5.1)",
    ),
    Misprint(
        where="section 3, weighted accuracy",
        printed="(1 w)",
        right="(1 - w)",
        why="the minus is missing",
        origin="our copy",
    ),
    Misprint(
        where="section 5.2, bounds of the quotient",
        printed="∂M ≤ 1 + 2d, ∂M ≥ 2d",
        right="numerator ≤ 1 + 2d, denominator ≥ 2d",
        why="the quotient's numerator and denominator are bounded, after a common factor of both "
        "derivatives has been cancelled",
    ),
    Misprint(
        where="section 5.1",
        printed="scales the robust F-score to [0, 1]",
        right="for c = 0",
        why="for c > 0 the smallest value, of a classifier without a hit, is above 0",
    ),
    Misprint(
        where="section 5.2",
        printed="the robust MCC of example 5 in Figure 8",
        right="in Figure 9",
        why="Figure 8 has the robust F",
    ),
    Misprint(
        where="captions of Tables 7 to 9, Figures 6 and 7",
        printed="Example 6",
        right="section 6",
        why="Example 6 is in appendix A and has no data",
    ),
    Misprint(
        where="section 6",
        printed="subset.test and test.subset",
        right="one of them",
        why="both name the same data",
    ),
    Misprint(
        where="section 6",
        printed="19.8% of NumberRealEstateLoansOrLines are missing",
        right="of MonthlyIncome",
        why="from memory of that data set, which is not at hand: not verified",
    ),
)

_UTILITY = (
    Misprint(
        where="Table 1",
        printed="does not say which class is positive",
        right="class 0",
        why="all twelve numbers are right with class 0; with class 1 it is recall that favours A",
    ),
    Misprint(
        where="section 2.5",
        printed="utility matrix (9)",
        right="utility matrix (7)",
        why="(9) holds the expected utilities of the two decisions",
    ),
    Misprint(
        where="equation 24",
        printed="the argument of the exponential is the cross-entropy",
        right="minus the cross-entropy, with counts for F_s and frequencies for F",
        why="cross-entropy is -Σ F_s ln F, and likelihood a product over cases",
    ),
    Misprint(
        where="published version",
        printed="utilities do depend on the frequencies",
        right="do not depend",
        why="the paragraph's argument",
    ),
    Misprint(
        where="published version, Matthews correlation",
        printed="the numerator lacks a term",
        right="- f0 f1",
        why="f0 and f1 are the marginal shares; without it chance is not 0",
    ),
    Misprint(
        where="published version, paragraph on tumours",
        printed="class 0",
        right="class 1",
        why="the class that the paragraph is about",
    ),
    Misprint(
        where="published version",
        printed="the term in braces is monotonically increasing",
        right="the term of false alarms decreases",
        why="its derivative is negative",
    ),
    Misprint(
        where="published version, map of utilities",
        printed="a triangle",
        right="|x| ≤ 1, |y| ≤ 1, |x - y| ≤ 1",
        why="where right decisions are worth more than wrong ones in both classes the region is a "
        "square without two corners",
    ),
    Misprint(
        where="companion (doi:10.48550/arXiv.2302.10578), when to decide without the classifier",
        printed="about 0.93",
        right="0.93 or more",
        why="the condition is an inequality",
    ),
)

_SMALL = (
    Misprint(
        where="caption of Figure 1",
        printed="Positive Predictive Rate",
        right="predicted positive rate",
        why="the text has it so, and the other is precision",
    ),
    Misprint(
        where="Theorem C.5, proof",
        printed="one row is an integer multiple of the other",
        right="a rational multiple",
        why="as in (2, 4; 3, 6); there are at least 4n such tables, not 2n + 2",
    ),
    Misprint(
        where="equation 11",
        printed="k_i and k without a definition",
        right="expected counts n p_i and n p_k",
        why="with the observed counts the answer is near 1/2 whatever the reference is; the exact "
        "sum is as quick",
    ),
    Misprint(
        where="equation 27",
        printed="a sum over k of probabilities given k",
        right="each times P(k)",
        why="at a score of 1 the printed sum is n",
    ),
    Misprint(
        where="Theorem D.2, proof",
        printed="P(B < b)",
        right="P(B ≤ b)",
        why="the sum includes k = ⌊n b⌋",
        origin="our copy",
    ),
    Misprint(
        where="sections 5.1 and 5.3, complexities",
        printed="O(n²)",
        right="O(n) at most for a binomial, O(√n) terms for a ratio of cells",
        why="a distribution function of a binomial is one incomplete beta function",
    ),
    Misprint(
        where="section 6.2, adding 1e-10",
        printed="unnoticeable impact on the score",
        right="puts 1/2 for an undefined ratio, 0 or ±1/2 for an undefined correlation",
        why="0/0 becomes 1e-10/2e-10; in single precision, which the authors use, an undefined "
        "prevalence threshold stays so",
    ),
)

MISPRINTS: Mapping[str, tuple[Misprint, ...]] = MappingProxyType(
    {
        "Burger & Meertens": _CHIMPS,
        "Dutch Draw": _DRAW,
        "Holzmann & Klar": _ROBUST,
        "Dyrland et al.": _UTILITY,
        "Briscoe et al.": _SMALL,
    }
)
