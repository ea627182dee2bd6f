"""The register of Kadam 2024, second part: analytical solutions, and what happens as n grows."""

from discreet.papers.register import Item

ANALYTICAL, SINGLE, BOUNDED = "Analytical solutions", "PMF for single distance neighborhood", "The BD neighborhood"
LIMIT = "Optimal error rates as n -> infinity"
SINGLE_MODULE, BOUNDED_MODULE = "papers.kadam2024.single_difference", "papers.kadam2024.bounded_difference"

SOLUTIONS = (
    Item(
        "Definition 5",
        ANALYTICAL,
        "Single distance: all neighbours differ by one mu. Neighbours are symmetric, so -mu occurs too, and noise that"
        " is designed for mu alone breaks its promise.",
        "fails",
        "design.cyclic(neighbours=(mu,))",
    ),
    Item(
        "Definition 6",
        ANALYTICAL,
        "Bounded difference: neighbours differ by 1..mu. Neighbours are symmetric, so -mu..-1 occur too.",
        "fails",
        "design.cyclic(neighbours=range(1, mu + 1))",
    ),
    Item(
        "Definition 7",
        ANALYTICAL,
        "Arbitrary: neighbours differ by any set of differences.",
        "no claim",
        "design.cyclic(neighbours=...)",
        "a definition; Figure 14 uses it",
    ),
    Item(
        "Lemma 1",
        ANALYTICAL,
        "Noise for all differences up to the largest serves any set of differences up to it, and is not the best"
        " for it.",
        "holds",
        "design.cyclic",
    ),
    Item(
        "Lemma 2",
        SINGLE,
        "(16): along the multiples of mu the optimal noise falls, by e^epsilon at most. One-sided.",
        "holds",
        f"{SINGLE_MODULE}.multiples",
    ),
    Item(
        "Lemma 3",
        SINGLE,
        "(17), (18a), (18c): for delta = 0 the noise falls by e^epsilon at every multiple of mu. One-sided; two-sided"
        " it falls with the shorter way round.",
        "holds",
        "papers.kadam2024.one_sided.pure",
    ),
    Item(
        "Equation (18b)",
        SINGLE,
        "Residues that are no multiple of mu get 0. Printed for places in the order instead of residues.",
        "misprint",
        "papers.kadam2024.one_sided.pure",
    ),
    Item(
        "Figure 1(a)",
        SINGLE,
        "n 7, difference 3: values are assigned in the order 0, 3, 6, 1, 4, 7, 2, 5.",
        "holds",
        f"{SINGLE_MODULE}.multiples",
    ),
    Item(
        "Figure 1(b)",
        SINGLE,
        "n 7, difference 2: values are assigned in the order 0, 2, 4, 6; the others are 0.",
        "holds",
        f"{SINGLE_MODULE}.multiples",
    ),
    Item(
        "Remark 2",
        SINGLE,
        "Larger noise tends to be less likely, which is why the squared error is low. It depends on mu: for n 7 and mu"
        " 7 the largest noise is the likeliest after 0.",
        "fails",
    ),
    Item(
        "Figure 2",
        SINGLE,
        "The error rate against delta has flat and falling straight pieces in turn.",
        "holds",
        f"{SINGLE_MODULE}.theorem_2",
    ),
    Item(
        "Remark 3",
        SINGLE,
        "Where mu and n + 1 have a common divisor, replace n by N_mu - 1. Printed: by N_mu.",
        "misprint",
        f"{SINGLE_MODULE}.theorem_2",
    ),
    Item("Equation (19)", SINGLE, "Where the flat pieces begin and end.", "holds", f"{SINGLE_MODULE}.regions"),
    Item(
        "Theorem 2",
        SINGLE,
        "(20), (21): the noise of least error rate for a single difference and any delta, under Definition 2."
        " One-sided.",
        "holds",
        f"{SINGLE_MODULE}.theorem_2",
    ),
    Item(
        "Text after Theorem 2",
        SINGLE,
        "A flat region ends at e^epsilon times its beginning, which is the second smallest mass in it. The paper says:"
        " the smallest mass of the region before.",
        "misprint",
        f"{SINGLE_MODULE}.regions",
    ),
    Item(
        "Text before (23)",
        SINGLE,
        "Just below epsilon_0 delta is (1 - rho) e^(-(n - 1) epsilon). Printed: e^(-n epsilon).",
        "misprint",
        f"{SINGLE_MODULE}.corollary_1",
    ),
    Item(
        "Equations (22)-(25)",
        SINGLE,
        "The epsilons at which a flat noise has a given error rate.",
        "holds",
        f"{SINGLE_MODULE}.epsilons",
    ),
    Item(
        "Corollary 1",
        SINGLE,
        "(24): the least delta for a given error rate falls exponentially in epsilon, and jumps. One-sided; two-sided"
        " DP has the closed form max(0, 1 - rho / (1 - 1/Z)).",
        "holds",
        f"{SINGLE_MODULE}.corollary_1",
    ),
    Item("Equation (26)", BOUNDED, "n = b mu + r.", "no claim", f"{BOUNDED_MODULE}.Section", "a notation"),
    Item(
        "Equation (27)",
        BOUNDED,
        "The constraints of pure privacy for differences 1..mu.",
        "no claim",
        "papers.kadam2024.one_sided.pure",
        "a special case of (14c)",
    ),
    Item(
        "Lemma 4",
        BOUNDED,
        "(28), (29): for delta = 0 the noise is a staircase with steps of length mu. One-sided; two-sided the steps go"
        " both ways round.",
        "holds",
        f"{BOUNDED_MODULE}.lemma_4",
    ),
    Item(
        "Figure 3(a)",
        BOUNDED,
        "In a flat region the staircase has b + 1 steps after f(0).",
        "holds",
        f"{BOUNDED_MODULE}.Section.flat",
    ),
    Item(
        "Figure 3(b)",
        BOUNDED,
        "In a linear region the staircase has b + 2 steps after f(0).",
        "holds",
        f"{BOUNDED_MODULE}.Section.linear",
    ),
    Item(
        "Figure 4",
        BOUNDED,
        "f(0) against delta has b (b - 1) / 2 flat regions after the first. For b = 4 (n 20, mu 5) there is one more.",
        "fails",
        f"{BOUNDED_MODULE}.optimum",
    ),
    Item(
        "Theorem 3",
        BOUNDED,
        "The noise of least error rate for differences 1..mu and any delta, if b + r < mu. It is not optimal under"
        " Definition 2, and from b = 4 on, or for a small epsilon, not under (13). `optimum` is, for any n and mu.",
        "fails",
        f"{BOUNDED_MODULE}.optimum",
    ),
    Item(
        "Equations (30)-(33)",
        BOUNDED,
        "Lengths of the steps in a flat region.",
        "holds",
        f"{BOUNDED_MODULE}.Section.flat_lengths",
    ),
    Item(
        "Equations (34)-(36)",
        BOUNDED,
        "f(0) in a flat region. The sum in (34) is right; the closed form leaves out (mu - 1) alpha^(b+1) for j = h.",
        "misprint",
        f"{BOUNDED_MODULE}.Section.first_as_printed",
    ),
    Item(
        "Equations (37)",
        BOUNDED,
        "Where the flat regions begin and end. For j < h - 1 (b >= 4) the noise exceeds the delta; for a small epsilon"
        " the regions do not follow each other.",
        "fails",
        f"{BOUNDED_MODULE}.Section.low",
    ),
    Item(
        "Equation (38)",
        BOUNDED,
        "Lengths of the groups in a linear region. Groups of length mu - 1 run to b + 1. Printed: to b.",
        "misprint",
        f"{BOUNDED_MODULE}.Section.linear_lengths",
    ),
    Item(
        "Equation (39)",
        BOUNDED,
        "The noise in a linear region. For j < h it exceeds its own delta. f(0) is right; `optimum` has noise that"
        " keeps delta.",
        "fails",
        f"{BOUNDED_MODULE}.Section.linear",
    ),
    Item(
        "Equations (40)-(41)",
        BOUNDED,
        "In the last segment f(0) = delta, and all other values are equally likely.",
        "holds",
        f"{BOUNDED_MODULE}.optimum",
    ),
    Item(
        "Corollary 2",
        BOUNDED,
        "(42): the least delta for a given error rate. Wrong where Theorem 3 exceeds its delta; `least_delta` is"
        " right.",
        "fails",
        f"{BOUNDED_MODULE}.least_delta",
    ),
    Item(
        "Equation (43)",
        BOUNDED,
        "The epsilons at which a flat noise has a given error rate. Wrong for j = h, as (35) and (36) are.",
        "misprint",
        f"{BOUNDED_MODULE}.section_epsilon",
    ),
    Item(
        "Equations (44)-(45)",
        LIMIT,
        "As n grows the error rate for a single difference becomes e^-epsilon. The cap of 0.5 has no ground.",
        "fails",
        "papers.kadam2024.one_sided.pure",
    ),
    Item(
        "Equations (46)-(47)",
        LIMIT,
        "The limit of the error rate for differences 1..mu.",
        "holds",
        f"{BOUNDED_MODULE}.lemma_4",
    ),
    Item(
        "Equations (48)-(50)",
        LIMIT,
        "The same limit with a cap of 0.5, and the noise of it, which does not add up to one.",
        "fails",
        f"{BOUNDED_MODULE}.lemma_4",
    ),
    Item(
        "Equation (51)",
        LIMIT,
        "The error rate in the regions counted from delta = 1. Flat regions shrink like e^(-i epsilon), linear ones"
        " faster.",
        "holds",
        f"{SINGLE_MODULE}.flat_first",
    ),
    Item(
        "Equations (52)-(53)",
        LIMIT,
        "The limit of f(0) in the regions of Theorem 3. Right is 1 + alpha^(c+j+1) - alpha^(c+1) / (1 - alpha) in"
        " (52).",
        "fails",
        "papers.kadam2024.claims_bounded.limit_53",
    ),
    Item("Equation (54)", LIMIT, "The steps fall by e^epsilon; as c grows the limit is that of delta = 0.", "holds"),
    Item(
        "Limit of the last segment",
        LIMIT,
        "The paper says that f(0) goes to 1 as n grows. f(0) = delta for every n.",
        "fails",
        f"{BOUNDED_MODULE}.optimum",
    ),
)
