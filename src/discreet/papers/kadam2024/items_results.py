"""The register of Kadam 2024, third part: vectors, numerical results, future work and appendices."""

from discreet.papers.register import Item

VECTORS, RESULTS, APPENDIX = "Optimal noise mechanism for vector queries", "Numerical results", "Appendix"
RIVALS = "papers.kadam2024.rivals"

RESULT = (
    Item(
        "Section Optimal noise mechanism for vector queries",
        VECTORS,
        "Several answers are one value of a product of cycles. The noise is e^-epsilon f(0) at the differences.",
        "holds",
        "design.cyclic(shape=...)",
    ),
    Item(
        "Remark 4",
        VECTORS,
        "The best noise for several answers is not independent noise for each.",
        "holds",
        "design.cyclic(shape=...)",
    ),
    Item(
        "Figure 5(a)",
        RESULTS,
        "Squared error against epsilon at delta 0.3, n 8: below geometric, Gaussian and Gumbel noise. As the paper"
        " counts, it is; its delta is not 0.3, and on equal terms every rival is better.",
        "fails",
        f"{RIVALS}.least_cost",
    ),
    Item(
        "Figure 5(b)",
        RESULTS,
        "Error rate against epsilon at delta 0.5, n 7: below geometric, count and data independent noise. On equal"
        " terms it is, by little; the delta of the paper's noise is not 0.5.",
        "fails",
        f"{RIVALS}.least_cost",
    ),
    Item(
        "Figure 6",
        RESULTS,
        "Clamping increases delta. It never increases the DP delta; it increases the PDP delta of Gaussian noise, and"
        " not of geometric noise. The two noises do not have the same error.",
        "fails",
        f"{RIVALS}.clamped",
    ),
    Item(
        "Equation (55)",
        RESULTS,
        "Clamping moves an answer to the nearer end of 0..n.",
        "no claim",
        f"{RIVALS}.clamped",
        "a definition",
    ),
    Item(
        "Equation (56)",
        RESULTS,
        "The distribution of a clamped answer. At k = n it is 1 - F(n - q - 1). Printed: 1 - F(n - q).",
        "misprint",
        f"{RIVALS}.clamped",
    ),
    Item(
        "Footnote 5",
        RESULTS,
        "Clamped geometric noise has one parameter, the proposed noise has all masses.",
        "no claim",
        "",
        "a remark without a number",
    ),
    Item(
        "Footnote 6",
        RESULTS,
        "The exponential mechanism is realised by Gumbel noise on the query. It takes Gumbel noise on the scores.",
        "fails",
        "design.exponential",
    ),
    Item(
        "Figure 7(a)",
        RESULTS,
        "Delta against epsilon at MSE 0.6101, n 8. The MSE is that of geometric noise cut to [-4, 4]; the deltas are"
        " one-sided. On equal terms geometric noise is better.",
        "fails",
        "design.cyclic(distortion=...)",
    ),
    Item(
        "Figure 7(b)",
        RESULTS,
        "Delta against epsilon at error rate 0.3, n 7 (the caption has geometric noise as a rival, the text Gaussian"
        " noise). One-sided, it is no better than data independent noise below epsilon 0.85; on equal terms it is"
        " better everywhere.",
        "fails",
        "design.cyclic(distortion=...)",
    ),
    Item(
        "Figure 8",
        RESULTS,
        "The noise at epsilon 1 has a larger f(0) than geometric noise of alpha 0.7 (epsilon 0.357) and Gaussian noise."
        " Its delta is not 0 and its MSE is not 3.38.",
        "fails",
        "design.cyclic",
    ),
    Item(
        "Figure 9(a)",
        RESULTS,
        "Noise for difference 3, n 7, epsilon 0.75: no mass is 0, and f(0) grows with delta. Two-sided its delta is"
        " broken.",
        "fails",
        "papers.kadam2024.single_difference.theorem_2",
    ),
    Item(
        "Figure 9(b)",
        RESULTS,
        "Noise for difference 2, n 7, epsilon 0.75: odd values have mass 0. Two-sided its delta is broken.",
        "fails",
        "papers.kadam2024.single_difference.theorem_2",
    ),
    Item(
        "Figure 10(a)",
        RESULTS,
        "Noise for differences 1 to 3, n 8, epsilon 1.5, delta 0: a staircase. Its true delta is 0.61.",
        "fails",
        "papers.kadam2024.bounded_difference.lemma_4",
    ),
    Item(
        "Figure 10(b)",
        RESULTS,
        "The same for three deltas at which flat regions end or begin, with the lengths of the steps.",
        "holds",
        "papers.kadam2024.one_sided.program_13",
    ),
    Item(
        "Table 1",
        RESULTS,
        "The masses of Figure 10. They are the optimum of (13) as printed. Their true deltas are 0.61, 0.61, 0.72 and"
        " 0.74.",
        "fails",
        "papers.kadam2024.one_sided.program_13",
    ),
    Item(
        "Equation (57)",
        RESULTS,
        "Joint noise for two answers, n 4, epsilon 3. It reproduces where the text has it; one mass of f_1 is missing"
        " in print.",
        "misprint",
        "design.cyclic(shape=(5, 5))",
    ),
    Item(
        "Figure 11",
        RESULTS,
        "Error rate against the largest difference, n 9: left at delta 0.2, right at epsilon 2. The deltas are"
        " one-sided.",
        "fails",
        "papers.kadam2024.bounded_difference.optimum",
    ),
    Item(
        "Figure 12(a)",
        RESULTS,
        "Error rate against delta, n 9, difference 3: as Theorem 2 says. One-sided.",
        "holds",
        "papers.kadam2024.single_difference.theorem_2",
    ),
    Item(
        "Figure 12(b)",
        RESULTS,
        "Error rate against delta, n 9, mu 3: as Theorem 3 says, though b + r = mu. One-sided; Definition 2 allows"
        " less.",
        "loose",
        "papers.kadam2024.bounded_difference.optimum",
    ),
    Item(
        "Figure 13(a)",
        RESULTS,
        "Joint noise for two answers, n 4, differences up to 2, epsilon 3: a staircase. Its true delta is 0.66.",
        "fails",
        "design.cyclic(shape=(5, 5))",
    ),
    Item(
        "Figure 13(b)",
        RESULTS,
        "Joint noise for two answers, n 6, {1, 3} x {2, 5}, epsilon 3: peaks at the differences. Its true delta is"
        " 0.95.",
        "fails",
        "design.cyclic(shape=(7, 7))",
    ),
    Item(
        "Figure 14",
        RESULTS,
        "Noise for the differences {1, 2, 3, 4} (n 10) and {1, 3, 5, 6} (n 16), found in data of 1416 houses. The"
        " masses at the differences are larger than elsewhere. The data are not public, and epsilon is not printed.",
        "fails",
        "design.cyclic(neighbours=...)",
    ),
    Item(
        "Section Conclusions",
        "Conclusions and future work",
        "The noise significantly outperforms other mechanisms at a given error rate or squared error. Two-sided it does"
        " by little for the error rate, and not for the squared error of counts.",
        "fails",
        "",
        "Figures 5 and 7 have the claims",
    ),
    Item(
        "Future work",
        "Conclusions and future work",
        "Labels of data, queries with uncountable support, and vectors. Discreet has vectors, and names for"
        " categories.",
        "no claim",
        "design.cyclic(shape=..., categories=...)",
        "tests/design/cycle/test_cyclic.py::test_names_are_perturbed_into_names",
    ),
    Item(
        "Appendix 6",
        APPENDIX,
        "(58), (59): proof of Proposition 1.",
        "no claim",
        "",
        "a proof; Proposition 1 has the claims",
    ),
    Item(
        "Appendix 7",
        APPENDIX,
        "Proof of Lemma 2, with f(0) >= 0.5 as a constraint. The lemma needs no such constraint, and"
        " (44)-(50) take the cap of 0.5 from it.",
        "no claim",
        "",
        "a proof; Lemma 2 and (44)-(50) have the claims",
    ),
    Item(
        "Footnote 7",
        APPENDIX,
        "f(n mu) follows from the other masses, and is the smallest.",
        "no claim",
        "",
        "part of the proof of Lemma 2, which has the claims",
    ),
    Item("Appendix 8", APPENDIX, "(60): proof of Lemma 3.", "no claim", "", "a proof; Lemma 3 has the claims"),
    Item("Appendix 9", APPENDIX, "Proof of Theorem 2.", "no claim", "", "a proof; Theorem 2 has the claims"),
    Item(
        "Appendix 10",
        APPENDIX,
        "(61), (62): proof of Theorem 3. The sum in (62) is right; the simplification after it is not, for j = h. The"
        " proof counts the levels before the single value and not those behind it.",
        "no claim",
        "",
        "a proof; Theorem 3 and (34)-(39) have the claims",
    ),
    Item(
        "Appendix, the case b + r >= mu",
        APPENDIX,
        "The paper leaves this case out as hard to write down. `optimum` covers it.",
        "no claim",
        "papers.kadam2024.bounded_difference.optimum",
    ),
)
