"""The register of Sadeghi 2023, second part: cell keys, lookup tables, experiments, conclusion and appendices."""

from discreet.papers.register import Item

KEY, SAMPLING, MEASURES, EXPERIMENTS = "3", "4.1", "4.2", "4.3"
LOOKUP, KEYS = "papers.sadeghi2023.lookup_tables", "papers.sadeghi2023.cell_keys"
TESTS = "tests/papers/sadeghi2023"

TABLES = (
    Item(
        "Section 3",
        KEY,
        "The same cell gets the same noise, by a key made from its contributors. The paper assumes uniform keys and"
        " counts of D or more. What such keys give away does not depend on the noise.",
        "no claim",
        "key: contributors",
    ),
    Item(
        "Equation (3.1)",
        KEY,
        "Four sums of record keys, each modulo a prime bigN. Cell keys may have any power of two up to 2^32 as size.",
        "no claim",
        "key: contributors; record_keys_are: components",
    ),
    Item(
        "Footnote 3",
        KEY,
        "bigN is a prime close to KEYSIZE, so that keys are nearly uniform. It must be below KEYSIZE: the primes"
        " nearest to 2^8 and 2^16 are above them.",
        "misprint",
        "plan.contributor_keys.largest_prime",
    ),
    Item(
        "Equation (3.2)",
        KEY,
        "The cell key is the XOR of four components, so that keys of cells do not add up. The components are said to"
        " be the parts of a binary number of up to 32 bits; they must be four numbers of the size of the cell key.",
        "misprint",
        "measure.keys.contributor_keys",
    ),
    Item(
        "Equation (4.1)",
        SAMPLING,
        "The distribution function of the noise.",
        "no claim",
        f"{LOOKUP}.thresholds",
        "a definition; Example 2 has values",
    ),
    Item(
        "Equation (4.2)",
        SAMPLING,
        "Thresholds ceil(KEYSIZE c(z)), from 0 to KEYSIZE. True in exact numbers; in floats the last may be KEYSIZE +"
        " 1.",
        "holds",
        "design.additive.maxent.paper_table",
    ),
    Item(
        "Equation (4.3)",
        SAMPLING,
        "A key from c^Q(z) to below c^Q(z+1) gives the noise z + 1.",
        "no claim",
        f"{LOOKUP}.lookup",
    ),
    Item(
        "Section 4.1, step 5",
        SAMPLING,
        "If two thresholds are equal, a value of the noise never occurs: then take a larger KEYSIZE or other noise."
        " Discreet's tables have no weight of 0, or are refused.",
        "no claim",
        "Mechanism.certify",
        f"{TESTS}/test_tables.py::test_no_weight_of_our_tables_is_0",
    ),
    Item(
        "Example 2",
        SAMPLING,
        "(4.4): thresholds of Example 1 at 2^32, two lookups, and equal thresholds at 2^8.",
        "holds",
        f"{LOOKUP}.thresholds",
    ),
    Item(
        "Equation (4.5)",
        MEASURES,
        "p^Q(z) = (c^Q(z) - c^Q(z-1))/KEYSIZE.",
        "no claim",
        f"{LOOKUP}.weights",
        "a definition; Example 3 has values",
    ),
    Item(
        "Equations (4.6)-(4.7)",
        MEASURES,
        "Bias and variance of p^Q, which are closer to those of the noise for a larger KEYSIZE.",
        "holds",
        f"{LOOKUP}.sampled",
    ),
    Item(
        "Equations (4.8)-(4.10)",
        MEASURES,
        "epsilon^Q is the least epsilon with p^Q(z) <= e^epsilon p^Q(z') for adjacent z, z'. Printed with <, which has"
        " no least epsilon.",
        "misprint",
        f"{LOOKUP}.step",
        "a set without its lower end has no least member; Example 3 has the value",
    ),
    Item(
        "Equation (4.11)",
        MEASURES,
        "delta^Q is the larger of p^Q(-D) and p^Q(D). With full support, the table is (epsilon^Q, delta^Q)-DP.",
        "holds",
        f"{LOOKUP}.sampled",
    ),
    Item(
        "Section 4.2",
        MEASURES,
        "The larger KEYSIZE, the closer epsilon^Q and delta^Q get to those of the noise; delta^Q is at least"
        " 1/KEYSIZE.",
        "holds",
        f"{LOOKUP}.sampled",
    ),
    Item(
        "Example 3",
        MEASURES,
        "(4.12): the quantised masses of Example 1, bias, variance, epsilon^Q and delta^Q. All reproduce. epsilon^Q is"
        " below 0.5 because gamma is below epsilon/(2D-1), not because of quantisation.",
        "fails",
        f"{LOOKUP}.sampled",
    ),
    Item(
        "Section 4.3",
        EXPERIMENTS,
        "25 designs with D = 10 at 2^8, 2^16 and 2^32: bias, variance error, and where full support ends.",
        "holds",
        f"{LOOKUP}.experiment",
    ),
    Item(
        "Figure 4",
        EXPERIMENTS,
        "epsilon^Q is above epsilon for 2^8 and 2^16, and close to epsilon or lower for 2^32. For 2^16 it is above in"
        " 9 of 17 cases.",
        "fails",
        f"{LOOKUP}.experiment",
    ),
    Item(
        "Figure 5",
        EXPERIMENTS,
        "delta^Q is above delta for 2^8, and almost identical for 2^16 and 2^32. For 2^16 it is up to 1.28 times delta"
        " with full support, and 34 times over all epsilons.",
        "fails",
        f"{LOOKUP}.experiment",
    ),
    Item(
        "Conclusion",
        "5",
        "A large cell key is needed for the desired epsilon and delta. With Discreet's tables 16 bits are enough for"
        " the designs up to epsilon 1.7.",
        "no claim",
        "Mechanism.certify",
        "section 4.3 and Figures 4 and 5 have the claims",
    ),
    Item(
        "Future work",
        "5",
        "Asymmetric noise, tables that change, other noise, scope perturbation; Renyi DP, concentrated DP and"
        ' probabilistic DP. Discreet has `small="joint"`, query keys and the ledger, `compare`, `account.renyi`, and'
        ' `kind="pdp"`. Scope perturbation is open.',
        "no claim",
        "account.renyi",
    ),
    Item(
        "Appendix A",
        "A",
        "(A.1)-(A.3): the Lagrangian has the solution exp(-1 - beta z - gamma z^2), and beta = 0 gives mean 0.",
        "holds",
        "design.maxent",
        f"{TESTS}/test_formulas.py::test_no_noise_with_this_variance_has_more_entropy",
    ),
    Item(
        "Appendix B",
        "B",
        "(B.1)-(B.2): the worst event for neighbours q(x) = 0 and q(x') = 1. Printed: q(x') = -1.",
        "misprint",
        "papers.sadeghi2023.truncated_gaussian.worst_event",
    ),
    Item(
        "Appendix C",
        "C",
        "(C.1)-(C.4): for D without end, (2.19) is the delta of the discrete Gaussian.",
        "holds",
        "design.gaussian",
    ),
    Item(
        "Footnote 4",
        "C",
        "Pr(Z < -z) = Pr(Z <= ceil(-z) - 1). Printed: Pr(Z <= floor(-z)), which is wrong for integers z.",
        "misprint",
        "design.gaussian",
    ),
)
