"""The register of Sadeghi 2020, second part: the explicit solution for n >= D."""

from discreet.papers.register import Item

BOUNDS, REACHED = "III-A", "III-B"
FORMULAS = "papers.sadeghi2020.closed_form.Case"

EXPLICIT = (
    Item(
        "Proposition 3",
        "III",
        "(14)-(15): for n >= D one symmetric noise serves all counts, p(+-i) = alpha_i (1-eta)/2.",
        "holds",
        "design.bounded(lowest=D)",
    ),
    Item("Equation (16)", "III", "The mechanism as a matrix, for N = 2D.", "holds", "Mechanism.pmf"),
    Item(
        "Proposition 4",
        BOUNDS,
        "(17)-(19): inequalities between neighbouring columns of (16). They are necessary. (1-eta)/2 alpha_1 <= E eta +"
        " delta is necessary too, and is left out.",
        "loose",
        "papers.sadeghi2020.printed_noise.least_per_output",
    ),
    Item(
        "Equations (20)-(22)",
        BOUNDS,
        "The same inequalities with B = 2/(1-eta) and C = 2 eta/(1-eta).",
        "holds",
        f"{FORMULAS}.slacks",
    ),
    Item("Lemma 1", BOUNDS, "(23): delta* >= delta_k for k = 1..D (Type-I).", "holds", f"{FORMULAS}.lower_bound"),
    Item(
        "Equations (24)-(31)",
        BOUNDS,
        "The proof of Lemma 1, by elimination of alpha_k, ..., alpha_1. (25) uses (21) for i = 1, not for i = 2.",
        "misprint",
    ),
    Item(
        "Section III-A, no bound dominates",
        BOUNDS,
        "In general none of the bounds delta_1, ..., delta_D dominates another: each of two is the larger for some"
        " eta.",
        "holds",
        f"{FORMULAS}.lower_bound",
    ),
    Item("Lemma 2", BOUNDS, "(32): delta* >= delta_(D+1) (Type-II).", "holds", f"{FORMULAS}.lower_bound"),
    Item("Equation (33)", BOUNDS, "The proof of Lemma 2: an upper bound of every alpha.", "holds"),
    Item("Theorem 1", BOUNDS, "delta* >= the largest delta_k, k = 1..D+1.", "holds", f"{FORMULAS}.lower_bound"),
    Item(
        "Equation (34)",
        BOUNDS,
        "The crossover values C_k.",
        "no claim",
        f"{FORMULAS}.crossover",
        "a definition; C_2 and C_3 are printed in Section III-B",
    ),
    Item("Lemma 3", BOUNDS, "delta_k >= delta_(k+1) if and only if C >= C_k.", "holds", f"{FORMULAS}.crossover"),
    Item("Equation (35)", BOUNDS, "The case k = 1 of Lemma 3: C_1 = 1 + E.", "holds"),
    Item(
        "Proof of Lemma 3",
        BOUNDS,
        "In the last line the numerator of C_D has to end at E^D, not at E^(D-1).",
        "misprint",
    ),
    Item("Lemma 4", BOUNDS, "C_k falls strictly with k.", "holds", f"{FORMULAS}.crossover"),
    Item(
        "Equation (36)",
        BOUNDS,
        "C_k - C_(k+1) in closed form, for k = 1..D-1. Printed: for k = 1..D. (34) has C_k up to D only, and C_(D+1) is"
        " defined as 0 below, for which (36) does not hold.",
        "misprint",
        f"{FORMULAS}.crossover",
    ),
    Item(
        "Theorem 2",
        BOUNDS,
        "The largest of all is delta_k if and only if C_k < C <= C_(k-1), with C_0 infinite and C_(D+1) = 0. At C = C_k"
        " two of them are the largest.",
        "holds",
        f"{FORMULAS}.selected",
    ),
    Item(
        "Definition 2",
        REACHED,
        "(37)-(39): the coefficients alpha*.",
        "holds",
        'design.bounded(lowest=D, variant="paper")',
    ),
    Item(
        "Footnote 3", REACHED, "The coefficients are not negative and add up to 1.", "holds", f"{FORMULAS}.coefficients"
    ),
    Item(
        "Theorem 3",
        REACHED,
        "Definition 2 reaches delta* = max delta_k. True for C >= alpha_2 only, that is, unless eta is small: there"
        " Proposition 4's missing inequality is broken, and the promise is false. It is about single outputs; the exact"
        " delta has another optimum.",
        "fails",
        'design.bounded(lowest=D, variant="paper")',
    ),
    Item(
        "Proof of Theorem 3",
        REACHED,
        "All inequalities are said to hold with equality, and all alpha to differ. Neither is so; the conclusion needs"
        " alpha_k <= B delta, which holds because C > C_k.",
        "misprint",
    ),
    Item("Equations (40)-(43)", REACHED, "alpha_1 > 0 and alpha_k >= 0 in closed form.", "holds"),
    Item("Equation (44)", REACHED, "The coefficients add up to 1.", "holds"),
    Item("Footnote 4", REACHED, "delta_(D+1) > 0, hence the largest is.", "holds"),
    Item(
        "Section III-B, the noise",
        REACHED,
        "The numbers of Figure 1's noise: epsilon 2.18, eta .8, D 6.",
        "holds",
        'design.bounded(variant="paper")',
    ),
    Item(
        "Section III-B, the discrete Gaussian",
        REACHED,
        "The numbers of the discrete Gaussian beside it.",
        "holds",
        "design.gaussian(sigma2=)",
    ),
    Item(
        "Section III-B, the assumption n >= D",
        REACHED,
        "Called reasonable in datasets with hundreds of participants. It has to be a public fact about the count: where"
        " smaller counts are possible, the least delta is much larger.",
        "no claim",
        "design.bounded(lowest=)",
        "an assumption; the claims are ours",
    ),
    Item(
        "Figure 1",
        REACHED,
        "The noise and the discrete Gaussian 'with the identical variance'. The variance of Z is the parameter of the"
        " discrete Gaussian; its variance is smaller. At equal variance the conclusion stands.",
        "misprint",
        "papers.sadeghi2020.equal_variance.of_variance",
    ),
    Item(
        "Remark 2",
        REACHED,
        "The mechanism is (epsilon, min(1, (2D+1) delta*))-DP. The exact delta is smaller by a factor between"
        " (2D+1)/(D+1) and 2D+1.",
        "loose",
        "Mechanism.delta",
    ),
    Item(
        "Remark 2, outputs",
        REACHED,
        "Events are subsets of [N + D] = 1..N+D. They have to include the output 0.",
        "misprint",
        "Mechanism.pmf",
    ),
)
