"""The register of Sadeghi 2020, first part: abstract, introduction, and the formulation of the problem."""

from discreet.papers.register import Item

FORMULATION = (
    Item(
        "Abstract",
        "Abstract",
        "Integer noise for counts, with epsilon and delta from the chance of an error, for counts of at least half the"
        " support; more private than the discrete Gaussian. 'Any other integer-valued queries' goes too far.",
        "no claim",
        "design.bounded",
        "judged at Section II-A, Theorem 3 and Figure 4",
    ),
    Item(
        "Section I, geometric noise",
        "I",
        "Of [7] and [11]: clamped geometric noise has the least chance of error; this chance depends on the count; for"
        " epsilon to 0 it reports the two extremes.",
        "holds",
        "design.geometric(upper=n)",
    ),
    Item(
        "Section I, explicit fair mechanism",
        "I",
        "Of [11]: EM is biased. Neither EM nor clamped geometric noise restricts the support of the noise.",
        "holds",
        'design.fair(variant="paper")',
    ),
    Item(
        "Section I, census example",
        "I",
        "A county was over-reported by a factor of almost 8, from around 90 to around 920. One of these is wrong.",
        "misprint",
    ),
    Item(
        "Section I, approximate privacy",
        "I",
        "(epsilon, delta)-DP is called epsilon-DP with probability 1 - delta. That is the stronger probabilistic DP,"
        " which the paper's noise does not have.",
        "fails",
        'Mechanism.delta(epsilon, kind="pdp")',
    ),
    Item(
        "Section I, tails",
        "I",
        "The noise is similar to a discrete Gaussian, with slightly heavier tails. It is similar, and its tails are"
        " heavier, but not slightly: 23 times at 2.",
        "fails",
        "Mechanism.pmf",
    ),
    Item(
        "Section I, observations",
        "I",
        "delta falls with epsilon, and with the support. eta can be raised up to a threshold at no cost, not beyond."
        " The support helps below the threshold only: above it (2D+1) delta* grows with D.",
        "holds",
        "design.bounded",
    ),
    Item("Equation (1)", "II", "Y = n + Z: integer noise on a positive count n.", "no claim", "Mechanism", "a setting"),
    Item(
        "Property P1",
        "II",
        "The noise lies in [-min(n, D), D], so that outputs are not negative.",
        "no claim",
        "design.bounded(support=D)",
        "tests/design/additive/test_bounded_upper.py::test_delta_is_the_optimum_of_an_independent_program",
    ),
    Item(
        "Property P2",
        "II",
        "The truth is published with probability eta, whatever n. A smaller eta conceals the count better.",
        "no claim",
        "design.bounded(eta=)",
        "a definition; the claim is ours",
    ),
    Item(
        "Property P3",
        "II",
        "The noise has mean 0.",
        "no claim",
        "Mechanism.bias",
        "tests/design/additive/test_bounded_upper.py::test_delta_is_the_optimum_of_an_independent_program",
    ),
    Item("Footnote 1", "II", "Outputs may exceed N, by at most D.", "holds", "design.bounded(upper=N)"),
    Item(
        "Footnote 2",
        "II",
        "At n = 0 no noise has P1, P2 and P3, so that n >= 1 is assumed. Discreet covers 0, with a bias there.",
        "holds",
        "design.bounded(lowest=0)",
    ),
    Item(
        "Proposition 1",
        "II",
        "(2): noise on two points, one on each side of 0, has P1 to P3.",
        "holds",
        "papers.sadeghi2020.two_point_noise.two_point",
    ),
    Item(
        "Equation (3)",
        "II",
        "Combinations of two-point noises have P1 to P3, and are general: every noise with P1 to P3 is one of them.",
        "holds",
        "papers.sadeghi2020.two_point_noise.decomposed",
    ),
    Item(
        "Example 1",
        "II",
        "N = 3, eta = 1/2, D = 2: which two-point noises there are, and their combinations.",
        "holds",
        "design.bounded(lowest=1, upper=3)",
    ),
    Item(
        "Equation (4)",
        "II",
        "The two noises at n = 1. The first lacks its mass 1/4 at z = 1, and adds up to 3/4.",
        "misprint",
        "papers.sadeghi2020.two_point_noise.two_point",
    ),
    Item("Equation (5)", "II", "Example 1's noise p(z|n), in the weights alpha.", "holds"),
    Item("Equation (6)", "II", "Example 1's outputs p(y|n), in the weights alpha.", "holds"),
    Item(
        "Definition 1",
        "II-A",
        "(epsilon, delta)-differential privacy, over all events.",
        "no claim",
        "Mechanism.delta",
        "tests/papers/sadeghi2020/test_printed_noise.py::test_the_exact_delta_is_the_largest_over_all_events",
    ),
    Item(
        "Section II-A",
        "II-A",
        "Neighbours' answers differ by at most 1 'since the query is integer-valued'. They do because a person counts"
        " once; other integer-valued queries can change by more.",
        "fails",
        "design.staircase(sensitivity=)",
    ),
    Item(
        "Remark 1",
        "II-A",
        "delta is first computed for single outputs. This is not the delta of Definition 1.",
        "holds",
        "papers.sadeghi2020.printed_noise.per_output",
    ),
    Item(
        "Equations (7)-(8)",
        "II-A",
        "delta*: the least delta of single outputs over all noises with P1 to P3, counts 1..N, both directions.",
        "no claim",
        'design.bounded(lowest=1, upper=N, variant="paper")',
        "tests/papers/sadeghi2020/test_programs.py::test_proposition_2_by_a_program_of_scipy",
    ),
    Item(
        "Proposition 2",
        "II-A",
        "(9)-(13): delta* as a linear program in the weights alpha. Discreet solves it in p(y|n), for N people or"
        " without end, and by default minimises the exact delta instead.",
        "holds",
        "design.bounded(lowest=1, upper=N)",
    ),
    Item(
        "Section II-A, Fourier-Motzkin",
        "II-A",
        "If the complexity allows, eliminating all weights alpha gives delta* in closed form. It does for four free"
        " weights. The inequalities grow too fast for many.",
        "holds",
        "papers.sadeghi2020.fourier_motzkin.least_delta",
    ),
)
