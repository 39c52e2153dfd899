"""Findings on words, signs and references of the papers, from which no number follows.

Each was read in the text at hand and follows from what stands beside it. What changes a number is a
cell of the tables. Editions that are not at hand are not spoken of.
"""

from collections.abc import Mapping
from types import MappingProxyType

from papers.cells import Wording

_CHIMPS = (
    Wording(
        kind="our copy",
        where="equation 5",
        printed="Var(y)",
        right="Var(Y)",
        why="Y is the random number, y an argument of f; whose small letter it is cannot be told",
    ),
    Wording(
        kind="misprint",
        where="equations 8 and 21",
        printed="f_yy(x0, y0) = 2x/(x + y)^3 and its balanced form",
        right="f_yy(x, y)",
        why="the right sides hold x and y; the point is put in later",
    ),
    Wording(
        kind="remark",
        where="appendix A.1, E[AUC] = 1/2",
        printed="derived for predictions tossed by a coin",
        right="also for random continuous scores, with another variance",
        why="the variance is (n + 1)/(12 n1 n2) for scores, g(1 - g) n/(4 n1 n2) for predictions",
        proof="Mann and Whitney's variance, over (n1 n2)²; equation 11 with two binomial counts",
    ),
    Wording(
        kind="remark",
        where="appendix A.2, bounds of terms of order 1/n",
        printed='"bounded" by constants such as (1 - g)/(8g)',
        right="suprema, approached when one class keeps a single case",
        why="they bound, with |1 - 2g| where 1 - 2g is printed, and sharply; with a class of a few "
        "cases these terms need not be small, however large n is: the orders are for fixed α and g",
        proof="the term of equation 22 at n1 = n - 1 and n2 = 1 is (n - 2)/(n - 1) times its bound",
    ),
    Wording(
        kind="remark",
        where="section 4, TPR at g = 1 and TNR at g = 0",
        printed="(Q_c - E[Q(g)])/(1 - E[Q(g)])",
        right="no value",
        why="guessing is perfect there, so that the scale has no length: its denominator is 0",
        proof="Table 2: E[TPR(g)] = g and E[TNR(g)] = 1 - g",
    ),
)

_DRAW = (
    Wording(
        kind="misprint",
        where="2.3, 3.3 and 6.3, discrete optimisers",
        printed="θ*_min in argmin E = argmax {1 - θ*} = {1}",
        right="argmin {1 - θ*} = {1}",
        why="1 - θ* is least at θ* = 1",
    ),
    Wording(
        kind="misprint",
        where="8.3, discrete optimisers",
        printed="E[FNR]",
        right="E[FPR]",
        why="section 8 is on the false positive rate",
    ),
    Wording(
        kind="misprint",
        where="17.3, discrete optimisers",
        printed="E[Acc]",
        right="E[BAcc]",
        why="section 17 is on balanced accuracy",
    ),
    Wording(
        kind="misprint",
        where="8.1",
        printed="N := M - P should hold",
        right="N := M - P > 0 should hold",
        why="the sentence goes on: otherwise, the denominator is zero",
    ),
    Wording(
        kind="misprint",
        where="11.1, and the intervals of 11.3",
        printed="θ > 1/(2M)",
        right="θ ≥ 1/(2M)",
        why="as section 9 has it for the same domain: 1/2 is rounded up to 1",
    ),
    Wording(
        kind="misprint",
        where="19.3, P = M",
        printed="[0, 1 - 1/(2M)]",
        right="[0, 1 - 1/(2M))",
        why="half open in the display before, as it must be: at 1 - 1/(2M) Mθ is rounded up to M",
    ),
    Wording(
        kind="our copy",
        where="18.1, C(M, P, θ)",
        printed="√⌊Mθ⌋ · P(M - P)(M - ⌊Mθ⌋)",
        right="√(⌊Mθ⌉ · P(M - P)(M - ⌊Mθ⌉))",
        why="equation 17 has the root over the whole product",
    ),
    Wording(
        kind="our copy",
        where="21.3",
        printed="the maximum expectation can be achieved by randomly predicting 50",
        right="half of the cases as positive",
        why="the sentence is cut off; in 21.2 a parenthesis is closed that was not opened",
    ),
    Wording(
        kind="misprint",
        where="23.3",
        printed="D(TS), P(TS = k)",
        right="D(TP), P(TP = k)",
        why="the sum is over the number of true positives",
    ),
    Wording(
        kind="misprint",
        where="23.3",
        printed="such that P(TP = k')",
        right="such that P(TP = k') > 0",
        why="the comparison is missing",
    ),
    Wording(
        kind="our copy",
        where="throughout",
        printed="⌊M · θ⌋ in a good part of the formulas",
        right="⌊M · θ⌉",
        why="only rounding to the nearest fits the intervals [0, 1/(2M)) and [1 - 1/(2M), 1]",
    ),
    Wording(
        kind="remark",
        where="9, 10, 11, 12, 14, 15, 18 and 19, optimisers",
        printed="θ_min = θ_max in a set",
        right="the sets of both are the same",
        why="as it is surely meant: any element of the set minimises, any maximises, and the two "
        "need not be equal",
    ),
    Wording(
        kind="remark",
        where="13.3, F_β",
        printed="f is strictly increasing in t",
        right="so it is for β > 0, which section 13 asks for",
        why="at β = 0 it would be constant: F_0 is precision, whose mean does not depend on θ*",
    ),
    Wording(
        kind="remark",
        where="throughout, ⌊Mθ⌉",
        printed="the bracket, without saying how a half is rounded",
        right="a half is rounded up",
        why="the intervals need it; rounding halves to even gives k = 0 at θ = 1/(2M)",
    ),
    Wording(
        kind="misprint",
        where="19 and 22",
        printed='"shuffle approach", "this chapter"',
        right="DD, this Supplementary Material",
        why="elsewhere the method is the DD, and the text the Supplementary Material",
    ),
)

_ROBUST = (
    Wording(
        kind="misprint",
        where="section 3.2, Bayes classifier",
        printed="argmin",
        right="argmax",
        why="larger values are better; Theorem 3 has argmax",
    ),
    Wording(
        kind="remark",
        where="Theorem 3",
        printed="δ* is determined by the fixed-point equation (4.3)",
        right="δ* solves (4.3)",
        why="the equation is necessary, as the proof has it, and not sufficient: a root may be a "
        "minimum, and under Assumption 1 alone no best cut need exist, as Yule's Q shows",
        proof="Yule's Q, above: its only root is where it is smallest",
    ),
    Wording(
        kind="substance",
        where="example 5",
        printed="thresholds of Yule's coefficients of about 6 and 4",
        right="where they are smallest",
        why="6.0408 and 3.8172 are the only stationary points, and minima",
        proof="the log odds ratio along all cuts, integrated numerically; Q and Y grow with it",
    ),
    Wording(
        kind="our copy",
        where="example 2",
        printed="δ decreases much faster",
        right="δ̃ decreases much faster",
        why="δ remains bounded, says the same sentence; section 6 writes δ for δ̃ as well",
    ),
    Wording(
        kind="remark",
        where="Table 3, robust F",
        printed="without its parameters",
        right="c = 0, d0 = 0.3, d1 = 1",
        why="of round values these alone fit all five as closely as the rates printed there allow",
        proof="all c to 2 in steps of 0.1, d0 to 2 and d1 to 5 in steps of 0.05",
    ),
    Wording(
        kind="misprint",
        where="(3.1)",
        printed="the number of two displays",
        right="two numbers",
        why="the relation of thresholds and the monotonicity of the metric are both called (3.1)",
    ),
    Wording(
        kind="our copy",
        where="(4.2)",
        printed="M̄, π_|0",
        right="M̃, π_0|0",
        why="M̃ is the metric of the four probabilities, and the index of π_0|0 is incomplete",
    ),
    Wording(
        kind="misprint",
        where="section 4",
        printed="P_1 and P_2",
        right="P_1 and P_0",
        why="the classes are 0 and 1",
    ),
    Wording(
        kind="misprint",
        where="appendix A, (A.2)",
        printed="given φ in (0, 1)",
        right="given π in (0, 1)",
        why="φ is the classifier",
    ),
    Wording(
        kind="misprint",
        where="section 5",
        printed="c_2",
        right="c_r",
        why="the constant of (5.1)",
    ),
    Wording(
        kind="remark",
        where="section 5.1, c_r of the robust F",
        printed="(1 + c)/min(d0, d0 + d1 - c)",
        right="(1 + c)/d0 suffices",
        why="the quotient is at most (1 + c)(1 - π)/(d0 + (d1 - c) π), which falls as π grows "
        "wherever d0 + d1 > c: no base rate needs more than π → 0 does",
        proof="its derivative in π has the sign of c - d0 - d1",
    ),
    Wording(
        kind="our copy",
        where="Table 1",
        printed="no numbers",
        right="three confusion tables of 10,000 cases",
        why="only the caption is there; what follows from them stands in Table 2",
        proof="section 2, Example 1: 3,000 cases of one class and 7,000 of the other",
    ),
    Wording(
        kind="our copy",
        where="section 3, weighted accuracy",
        printed="(1 w)",
        right="(1 - w)",
        why="the minus is missing",
    ),
    Wording(
        kind="misprint",
        where="section 5.2, bounds",
        printed="∂M/∂π_0|0 ≤ ... ≤ 1 + 2d and ∂M/∂π_1|1 ≥ ... ≥ 2d",
        right="numerator ≤ ... ≤ 1 + 2d, denominator ≥ ... ≥ 2d",
        why="the numerator and the denominator of the quotient above are bounded, from which a "
        "factor of both derivatives has been cancelled; c_r follows from these",
        proof="at d = 0.01, π = 0.05, π_1|1 = 0.5 and π_0|0 = 0.99 the derivative itself is 6.9",
    ),
    Wording(
        kind="misprint",
        where="section 5.2",
        printed="MCC_rb in the setting of Example 5 is shown in Figure 8",
        right="in Figure 9",
        why="Figure 8 has the robust F",
        proof="the captions of both figures",
    ),
    Wording(
        kind="misprint",
        where="captions of Tables 7 to 9, Figures 6 and 7",
        printed="Example 6",
        right="section 6",
        why="Example 6 is in appendix A and has no data",
        proof="Example 6, which has the metrics and their quotients (4.4)",
    ),
    Wording(
        kind="misprint",
        where="section 6",
        printed="subset.test and test.subset",
        right="one of them",
        why="both name the same data",
    ),
)

_UTILITY = (
    Wording(
        kind="our copy",
        where="equations 3 to 6",
        printed="no displays",
        right="gains of 3.5 and -3.5; (15, -335; -35, 165), (45, -335; -65, 165), "
        "(350, 0; 300, 500)",
        why="the displays are missing; these stand in the authors' later text",
        proof="they give what is left in the text: a loss by B, 7.3 and 4.7, the constant of 335, "
        "more than six months",
    ),
    Wording(
        kind="remark",
        where="Table 1",
        printed="without the positive class",
        right="class 0",
        why="all twelve numbers are right with class 0; with class 1 it is recall that favours A",
        proof="Table 1 made again from the two confusion matrices, with either class",
    ),
    Wording(
        kind="misprint",
        where="section 2.5",
        printed="utility matrix (9)",
        right="utility matrix (7)",
        why="(9) holds the expected utilities of the two decisions",
    ),
    Wording(
        kind="misprint",
        where="equation 24",
        printed="the argument of the exponential is the cross-entropy",
        right="minus the cross-entropy, times the number of sampled cases, up to a constant",
        why="cross-entropy is -Σ f_s ln f, of frequencies; F_s and F are counts in the text",
    ),
)

_SMALL = (
    Wording(
        kind="misprint",
        where="caption of Figure 1",
        printed="Positive Predictive Rate",
        right="predicted positive rate",
        why="the text has it so; positive predictive value is another name of precision",
    ),
    Wording(
        kind="substance",
        where="Theorem C.5, proof",
        printed="For example, ... an integer (k) multiple of the predicted-positive column",
        right="a rational multiple",
        why="as in (4, 6; 6, 9); at 48 cases tables without a zero row or column exceed the bound "
        "by themselves (145, bound 138.7); the lower bound 2n + 2 holds, and 4n does too",
        proof="all tables of 48 cases with determinant 0, listed",
    ),
    Wording(
        kind="remark",
        where="section 7",
        printed="binomial metrics exhibit the most jaggedness",
        right="it depends on the cases and on how many there are",
        why="by the largest jump of the law, given a value, at 0.3, 0.2, 0.1, 0.4 for TP, FN, FP, "
        "TN accuracy has 0.267 and precision 0.345 with 10 cases, 0.192 and 0.122 with 20; over "
        "all tables of 10 cases the simplified F1 has 0.228 and accuracy 0.126",
        proof="sums over all tables, in fractions",
    ),
    Wording(
        kind="remark",
        where="equation 11",
        printed="k_i and k, without saying whose counts",
        right="expected counts of the reference, n p_i and n p",
        why="with a group's own counts the answer is between 0.26 and 0.74 whatever the reference "
        "is, unless it is 0 or 1; the exact sum is of order n too",
        proof="the incomplete beta function at k_i/k for 0 < k_i < k ≤ 400; with expected counts, "
        "false positive rate of the defendants who are not Black, the largest error is 0.17 at 20 "
        "cases, 0.06 at 100 and 0.03 at 500",
    ),
    Wording(
        kind="misprint",
        where="equation 27",
        printed="a sum over k of probabilities given k",
        right="each times P(k)",
        why="at a score of 1 the printed sum is n",
    ),
    Wording(
        kind="misprint",
        where="Theorem D.2, proof",
        printed="P(B < b), reframed as P(B ≤ b)",
        right="P(B ≤ b)",
        why="they differ where n b is a whole number; the sum includes k = ⌊n b⌋",
    ),
    Wording(
        kind="remark",
        where="sections 5.1 and 5.3, complexities",
        printed="O(n²) for the sum",
        right="right, and fewer do: O(n), and O(√n) terms that matter",
        why="the sum of 5.1 and the inner sum of 5.3 are distribution functions of binomials, one "
        "incomplete beta function each",
        proof="each inner sum from the last: F(m; k + 1) = F(m; k) - θ P(m; k), and one term more "
        "where m = ⌊S k⌋ moves up; k is n p ± some √n",
    ),
    Wording(
        kind="remark",
        where="appendix F.2, CPS with higher λ and ε = 1",
        printed="CPS with higher λ values still outperforms additive smoothing with ε = 1 overall",
        right="of recall, λ = 20 has the smaller mean error from 11 cases on, ε = 1 with 5 to 10",
        why='it says "overall", rightly: of the fifteen metrics, with 5 to 149 cases, only recall '
        "has an exception at λ = 20, and the false negative rate with it",
        proof="exact mean squared errors, mean over the ten groups; of recall 0.0280 and 0.0231 "
        "with 5 cases, 0.0260 and 0.0278 with 15",
    ),
    Wording(
        kind="remark",
        where="section 6.2, adding 1e-10",
        printed="unnoticeable impact on the score",
        right="of a score that is defined; for one that is not it puts 1/2 for a ratio, about 0 or "
        "±1/2 for a correlation",
        why="0/0 becomes 1e-10/2e-10",
        proof="correlations of (1, 0; 0, 0), (0, 1; 0, 0), (1, 1; 0, 0), 1e-10 added to each cell",
    ),
)

WORDS: Mapping[str, tuple[Wording, ...]] = MappingProxyType(
    {
        "Burger & Meertens": _CHIMPS,
        "Dutch Draw": _DRAW,
        "Holzmann & Klar": _ROBUST,
        "Dyrland et al.": _UTILITY,
        "Briscoe et al.": _SMALL,
    }
)
