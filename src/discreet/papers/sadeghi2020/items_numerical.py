"""The register of Sadeghi 2020, third part: numerical results, conclusion, and what is left to later work."""

from discreet.papers.register import Item

NUMERICAL_RESULTS = (
    Item(
        "Footnote 5",
        "IV",
        "(2D+1) delta* stands for min(1, (2D+1) delta*).",
        "no claim",
        "papers.sadeghi2020.printed_noise.bound",
        "a notation; our figures cut at 1",
    ),
    Item(
        "Figure 2",
        "IV",
        "(2D+1) delta* against epsilon for eta .5 and several D, with two numbers for D = 8.",
        "holds",
        "design.bounded",
    ),
    Item(
        "Figure 3",
        "IV",
        "(2D+1) delta* against eta for epsilon 1.1 and 2.2, with a knee. Two promises for D = 8. At small eta Theorem 3"
        " is false, and the curve is no promise.",
        "holds",
        "design.bounded",
    ),
    Item(
        "Section IV, the comparison",
        "IV",
        "Steps 1 and 2: the discrete Gaussian gets the variance (1-eta) sum alpha_i i^2 of Z as its parameter. For the"
        " settings of Figure 4 its variance is nearly the same.",
        "holds",
        "papers.sadeghi2020.equal_variance",
    ),
    Item(
        "Equation (45)",
        "IV",
        "Step 3: delta of the discrete Gaussian. Exact, if sigma2 is its parameter. The text says that sigma2 is its"
        " variance, with which delta can be understated.",
        "misprint",
        "papers.sadeghi2020.equal_variance.equation_45",
    ),
    Item(
        "Figure 4",
        "IV",
        "(2D+1) delta* is below delta_G for a wide range of epsilon, eta .5, D 6.",
        "holds",
        "papers.sadeghi2020.equal_variance.of_figure_4",
    ),
    Item(
        "Section IV, epsilon below 1.1",
        "IV",
        "Both mechanisms have quite a high delta for epsilon < 1.1, in the setting of Figure 4. True up to 1.03: at"
        " 1.09 (2D+1) delta* is .014.",
        "fails",
        "papers.sadeghi2020.equal_variance.of_figure_4",
    ),
    Item(
        "Section IV, other experiments",
        "IV",
        "Many other experiments showed similar trends.",
        "holds",
        "papers.sadeghi2020.equal_variance.better_from",
    ),
    Item(
        "Section V",
        "V",
        "The mechanism is (epsilon, delta)-private, and tighter than the discrete Gaussian for many practical eta.",
        "no claim",
        "design.bounded",
        "repeats Theorem 3, Figure 4 and Section IV, other experiments",
    ),
    Item(
        "Section V, future direction",
        "V",
        "How privacy degrades with several queries is left open. Discreet bounds the delta of several tables together.",
        "no claim",
        "account.compose",
        "a plan for later; the claims are ours",
    ),
)
