"""The register of Sadeghi 2023, first part: introduction, the noise, its delta, and the design guide."""

from discreet.papers.register import Item

INTRODUCTION, MODEL = "Introduction", "1"
FORM, PRIVACY, SELECTION, GUIDE = "2.1", "2.2", "2.3", "2.4"
FORMULAS = "papers.sadeghi2023.truncated_gaussian"
TESTS = "tests/papers/sadeghi2023"

NOISE = (
    Item(
        "Abstract",
        "Abstract",
        "The best results are for a large cell key, because epsilon and delta after sampling are almost the same.",
        "holds",
        "papers.sadeghi2023.lookup_tables.experiment",
    ),
    Item(
        "Contributions",
        INTRODUCTION,
        "Exact epsilon and delta for one count and symmetric noise; a design guide; the role of the variance; lookup"
        " tables for cell keys.",
        "no claim",
        "",
        "sections 2 to 4 have the claims",
    ),
    Item(
        "Ongoing challenges",
        INTRODUCTION,
        "Five open questions. Discreet answers four: designs that balance error and privacy (`advise`), asymmetric"
        " noise"
        ' (`small="joint"`), composition (`compose`), and many queries (`plan`, the ledger). Scope perturbation is'
        " open.",
        "no claim",
        "account.compose",
    ),
    Item(
        "Equation (1.1)",
        MODEL,
        "The answer is the true count plus noise that does not depend on the data.",
        "no claim",
        "PTable.perturb",
        "a setting",
    ),
    Item(
        "Equations (1.2)-(1.3)",
        MODEL,
        "The noise has the largest entropy of all noise on its support with mean 0 and a variance of at most V.",
        "no claim",
        "design.maxent",
        f"{TESTS}/test_formulas.py::test_no_noise_with_this_variance_has_more_entropy",
    ),
    Item(
        "Definition 1",
        MODEL,
        "(epsilon, delta)-differential privacy, over all pairs of neighbours, so in both directions.",
        "no claim",
        "Mechanism.delta",
        "tests/assess/test_privacy.py::test_delta_is_that_of_the_definition",
    ),
    Item(
        "Footnote 1",
        FORM,
        "Counts below D are left aside: offices set them to 0 or give them noise of their own, and what this costs is"
        " future work. Tables that leave zeros alone have a delta of .27 to .38 here, however large epsilon is.",
        "no claim",
        'design.maxent(small="sdc"), design.maxent(small="joint")',
    ),
    Item(
        "Equations (2.1)-(2.2)",
        FORM,
        "The same program for the symmetric support [-D, D].",
        "no claim",
        "design.maxent(support=, variance=)",
        f"{TESTS}/test_formulas.py::test_no_noise_with_this_variance_has_more_entropy",
    ),
    Item(
        "Equation (2.3)",
        FORM,
        "The solution is p(z) = C exp(-gamma z^2), a truncated discrete Gaussian.",
        "holds",
        "design.maxent(support=, variance=)",
        f"{TESTS}/test_formulas.py::test_no_noise_with_this_variance_has_more_entropy",
    ),
    Item("Equation (2.4)", FORM, "C = 1/(2 sum exp(-gamma z^2) + 1).", "holds", f"{FORMULAS}.normalisation"),
    Item("Equation (2.5)", FORM, "gamma is chosen so that the variance is V.", "holds", "design.maxent"),
    Item(
        "Line before (2.6)",
        FORM,
        "2 sum z^2 exp(-gamma z^2) = V (2 sum exp(-gamma z^2) + 1), from (2.4) and (2.5). Printed without the first 2.",
        "misprint",
        f"{FORMULAS}.variance",
    ),
    Item(
        "Equation (2.6)",
        FORM,
        "sum (2 z^2 - 2V) exp(-gamma z^2) - V = 0.",
        "holds",
        f"{FORMULAS}.polynomial",
        "the same as (2.7), which has the claims",
    ),
    Item(
        "Equation (2.7)",
        FORM,
        "x = exp(-gamma) is a root of a polynomial of degree D^2, with coefficients at square powers only. f(0) = -V"
        " and f(1) = (2D+1)(D(D+1)/3 - V), so there is a root between 0 and 1 if f(1) > 0.",
        "holds",
        f"{FORMULAS}.polynomial",
    ),
    Item(
        "Proposition 1",
        FORM,
        "(2.8): p falls in |z| only if 0 < V < D(D+1)/3, the variance of uniform noise, which has the largest entropy.",
        "holds",
        "design.maxent(support=, variance=)",
    ),
    Item(
        "Equations (2.9)-(2.11)",
        PRIVACY,
        "The least delta is the sum of p(z) - E p(z-1) over the event E* where it is positive.",
        "holds",
        "Mechanism.delta",
    ),
    Item(
        "Equation (2.12)",
        PRIVACY,
        "delta is at least p(-D) at every epsilon, because -D is in E*.",
        "holds",
        "account.profile(...).floor",
    ),
    Item(
        "Equations (2.13)-(2.16)",
        PRIVACY,
        "E* is the set of z < 0.5 - epsilon/(2 gamma), and -D.",
        "holds",
        f"{FORMULAS}.worst_event",
        f"{TESTS}/test_formulas.py::test_the_worst_event_is_the_best_of_all_events",
    ),
    Item(
        "Equation (2.17)",
        PRIVACY,
        "F* is E* without -D. Two cases follow, epsilon < gamma and epsilon > gamma; at epsilon = gamma F* is [-D+1,"
        " -1].",
        "holds",
        f"{FORMULAS}.worst_event",
        f"{TESTS}/test_formulas.py::test_the_worst_event_is_the_best_of_all_events",
    ),
    Item(
        "Equation (2.18)",
        PRIVACY,
        "E* = [-D, max(-D, ceil(0.5 - epsilon/(2 gamma)) - 1)]. Printed with floor(0.5 - epsilon/(2 gamma)), which is"
        " one too many at a tie.",
        "misprint",
        f"{FORMULAS}.stated_event",
    ),
    Item(
        "Proposition 2",
        PRIVACY,
        "(2.19): the exact delta of the noise at every epsilon. Right at ties too, because their terms are 0.",
        "holds",
        "Mechanism.delta",
    ),
    Item(
        "Figure 1(a)",
        PRIVACY,
        "delta against epsilon for D = 11, gamma 0.125 (V = 4) and 0.0498 (V = 10): both end in a plateau, the higher"
        " variance earlier.",
        "holds",
        "Mechanism.deltas",
    ),
    Item(
        "Figure 1(b)",
        PRIVACY,
        "The same for D = 15 and the same variances. V = 10 needs gamma 0.0500 here, not 0.0498. For fixed gamma a"
        " larger D has a smaller delta.",
        "misprint",
        "Mechanism.deltas",
    ),
    Item(
        "Line before (2.20)",
        SELECTION,
        "-D <= 0.5 - epsilon/(2 gamma) < -D + 1, so that z* = -D. Printed with D for -D.",
        "misprint",
        'design.maxent(variant="paper")',
    ),
    Item(
        "Equation (2.20)",
        SELECTION,
        "For gamma in [epsilon/(2D+1), epsilon/(2D-1)) only the end is lost. The right end belongs to the interval"
        " too.",
        "loose",
        'design.maxent(variant="paper")',
    ),
    Item(
        "Footnote 2",
        SELECTION,
        "The choice is a heuristic that looks at the first case of (2.19) alone. The best gamma is a knot"
        " epsilon/(2j-1) in every case tried.",
        "no claim",
        "design.maxent(epsilon=, support=)",
    ),
    Item(
        "Equation (2.21)", SELECTION, "V as a function of gamma; it falls with gamma.", "holds", f"{FORMULAS}.variance"
    ),
    Item(
        "Reference before (2.22)",
        SELECTION,
        "The range of V follows from (2.20) and (2.21). Printed: from (??) and (2.21).",
        "misprint",
        "",
        "a reference that was not resolved; (2.22) has the ends of (2.20)",
    ),
    Item("Equation (2.22)", SELECTION, "The range of V for gamma in the interval.", "holds", f"{FORMULAS}.variance"),
    Item("Equation (2.23)", SELECTION, "The range of C; C grows with gamma.", "holds", f"{FORMULAS}.normalisation"),
    Item("Equation (2.24)", SELECTION, "The range of delta; delta falls with gamma.", "holds", f"{FORMULAS}.end_mass"),
    Item(
        "Remark 1",
        SELECTION,
        "The paper leaves gamma = epsilon/(2D-1) out, because E* would be larger and so would delta. E* is {-D} there,"
        " and delta is the least of the interval.",
        "fails",
        "design.maxent(epsilon=, support=)",
    ),
    Item(
        "Proposition 3",
        SELECTION,
        "(2.25)-(2.27): for gamma in the interval delta is p(D). A knot epsilon/(2j-1) with j < D is better as a rule.",
        "loose",
        'design.maxent(epsilon=, support=, variant="paper")',
    ),
    Item(
        "Figure 2(a)",
        SELECTION,
        "delta for gamma to epsilon/(2D-1), beside the least delta of a search over gamma, D = 11 and 15: no plateau,"
        " and gaps from small to zero. The gaps are not small: factors of up to 1.36 and 1.50.",
        "fails",
        f"{FORMULAS}.search",
    ),
    Item(
        "Figure 2(b)",
        SELECTION,
        "The variance for gamma to epsilon/(2D-1). The best knot has less variance, too.",
        "loose",
        f"{FORMULAS}.variance",
    ),
    Item(
        "Section 2.4",
        GUIDE,
        "Five steps: increase D until p(D) is at most delta, with gamma a tenth of the interval below its right end."
        " delta must be above 0; printed: 0 <= delta <= 1.",
        "misprint",
        'design.maxent(epsilon=, delta=, variant="paper")',
    ),
    Item(
        "Equation (2.28)",
        GUIDE,
        "The noise that the guide ends with.",
        "holds",
        'design.maxent(epsilon=, delta=, variant="paper")',
        "the same as (2.25); Example 1 has the claims",
    ),
    Item(
        "Example 1",
        GUIDE,
        "epsilon 0.5 and delta 1e-4 give D = 25, V = 49.00, delta 9.91e-5. The best knot needs D = 24 and V = 38.95"
        " only.",
        "loose",
        'design.maxent(epsilon="0.5", delta="1e-4", variant="paper")',
    ),
    Item(
        "Equation (2.29)",
        GUIDE,
        "(2.28) with the numbers of Example 1; + 1 belongs to the denominator.",
        "holds",
        f"{FORMULAS}.example_1",
        "the values (2.30) follow from it",
    ),
    Item(
        "Equation (2.30)",
        GUIDE,
        "Six masses of Example 1. The value printed for z = +-12 is p(+-11).",
        "misprint",
        f"{FORMULAS}.example_1",
    ),
    Item(
        "Figure 3",
        GUIDE,
        "The pmf of Example 1: symmetric, highest at 0.",
        "holds",
        f"{FORMULAS}.example_1",
        f"{TESTS}/test_figures.py::test_figure_3_is_the_pmf_of_example_1",
    ),
)
