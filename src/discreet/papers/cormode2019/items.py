"""The register of Cormode 2019: every numbered item and every section that states results, in the paper's order."""

from discreet.papers.cormode2019.items_experiments import EXPERIMENTS
from discreet.papers.cormode2019.items_mechanisms import MECHANISMS
from discreet.papers.register import Item

_SETTING = (
    Item(
        "Section 1, first finding",
        "1",
        "With all properties, the optimal mechanisms for L0, L1 and L2 are similar, so studying L0 is enough."
        " L0 has many optima: EM* is (nearly) the optimum for L1 and L2 too; the paper's EM is the farthest"
        " from it.",
        "holds",
        "design.constrained(properties='all')",
    ),
    Item(
        "Section 1, second finding",
        "1",
        "The 128 sets of properties lead to at most four behaviours for L0. Section 6.3 has the claims.",
        "holds",
        "design.select",
    ),
    Item(
        "Section 1, third finding",
        "1",
        "EM costs about 1 + 1/n times the L0 of GM; the other mechanisms lie between. 1 + 1/n is an upper"
        " bound, reached only where alpha^(n/2) is small.",
        "loose",
        "mech.loss('L0')",
    ),
    Item(
        "Figure 1",
        "1",
        "Four optima for alpha = .62 if only privacy is asked for: they never report some outputs (gaps) and"
        " report others far too often (spikes). The gaps are there; no single alpha shows all the spikes that"
        " the text describes.",
        "fails",
        "design.constrained(properties=())",
    ),
    Item(
        "Figure 2",
        "1",
        "The same objectives with all seven properties: no gaps, and for L2 at most 1 off with chance 2/3 for"
        " every count. The chance is 2/3 at alpha = .618, which rounds to .62.",
        "misprint",
        "design.constrained(properties='all')",
    ),
    Item(
        "Definition 1",
        "2.1",
        "A mechanism on 0..n is a square matrix P[i, j] = Pr[output i | true j]; columns sum to 1.",
        "no claim",
        "mech.matrix()",
        "tests/test_mechanism.py::test_the_matrix_has_outputs_down_and_true_counts_across",
    ),
    Item(
        "Definition 2",
        "2.1",
        "alpha-privacy: neighbouring columns differ by at most the factor 1/alpha in every row; alpha = exp(-epsilon).",
        "no claim",
        "mech.epsilon()",
        "tests/assess/test_privacy.py::test_a_pure_design_has_delta_zero_at_its_own_epsilon",
    ),
    Item(
        "Definition 3",
        "2.1",
        "The objective: the sum or the maximum over true counts j of w_j sum_i P[i, j] |i - j|^t, with 0^0 ="
        " 0 and equal weights unless stated.",
        "no claim",
        "mech.loss(kind, weights, aggregate)",
    ),
    Item(
        "Section 2.1",
        "2.1",
        "L0 is studied because the output is then the likeliest true count; privacy makes counts near it likely too.",
        "holds",
        "mech.properties()",
    ),
    Item(
        "Equation (1)",
        "2.1",
        "L0 is rescaled by (n+1)/n, so that the uniform mechanism costs 1: L0 = (n+1)/n - trace(P)/n.",
        "holds",
        "mech.loss('L0')",
    ),
    Item(
        "L0,d",
        "2.1",
        "The rescaled mass at |i - j| > d. The print has >= d, with which L0,0 would be (n+1)/n for every mechanism.",
        "misprint",
        "design.constrained(objective=('L0', d))",
    ),
    Item(
        "Section 2.2",
        "2.2",
        "Earlier work: linear programs and GM (Ghosh), minimax (Gupte), local privacy; n-ary randomized"
        " response has low utility for counts.",
        "holds",
        "design.randomized_response(categories=)",
    ),
    Item(
        "Equation (2)",
        "2.2",
        "Randomized response tells the truth with chance p and is private for alpha = (1-p)/p.",
        "holds",
        "design.randomized_response",
    ),
    Item(
        "Equation (3)",
        "2.2",
        "The exponential mechanism has at least the privacy of its budget epsilon.",
        "holds",
        "design.exponential",
    ),
    Item(
        "Definition 4",
        "2.2",
        "GM adds two-sided geometric noise and clamps to 0..n. Its probabilities are (1-alpha)/(1+alpha)"
        " alpha^|z|; the print has (1-alpha)^|z|/(1+alpha), which does not sum to 1.",
        "misprint",
        "design.geometric(upper=n)",
    ),
    Item(
        "Example 1",
        "2.2",
        "GM at n = 2, alpha = .9 tells the truth 1 with chance .05 and 18 times as often something else; the"
        " outputs 0 and n take over as alpha approaches 1.",
        "holds",
        "design.geometric(upper=2)",
    ),
    Item(
        "Equations (4)-(7)",
        "3",
        "The linear program: least expected loss over matrices with columns that sum to 1 and neighbouring"
        " columns within alpha. Without further properties GM and a Bayes remap solve it, and no program is"
        " needed. The text calls the loss Definition 4; Definition 3 is meant.",
        "no claim",
        "design.constrained",
        "tests/design/matrix/test_constrained.py::test_other_objectives_have_the_loss_of_an_independent_program",
    ),
    Item(
        "Section 3",
        "3",
        "A smallest entry does not mend gaps: rows that were zero only rise to that entry.",
        "holds",
        "papers.cormode2019.square_programs",
    ),
    Item(
        "Equation (8)",
        "4",
        "RH, row honesty: P[i, i] >= P[i, j].",
        "holds",
        "mech.properties()",
    ),
    Item(
        "Equation (9)",
        "4",
        "RM, row monotonicity: rows fall away from the diagonal. RM implies RH. RM and privacy do not imply"
        " each other.",
        "holds",
        "mech.properties()",
    ),
    Item(
        "Equation (10)",
        "4",
        "CH, column honesty: P[j, j] >= P[i, j]. GM does not have it.",
        "holds",
        "mech.properties()",
    ),
    Item(
        "Equation (11)",
        "4",
        "CM, column monotonicity: columns fall away from the diagonal. CM implies CH.",
        "holds",
        "mech.properties()",
    ),
    Item(
        "Equation (12)",
        "4",
        "F, fairness: one chance y of the truth for all counts. With F, row and column honesty are the same."
        " GM is not fair.",
        "holds",
        "mech.properties()",
    ),
    Item(
        "Lemma 1",
        "4",
        "A fair mechanism of least L0 is optimal for all weights.",
        "holds",
        "design.fair",
    ),
    Item(
        "Equation (13)",
        "4",
        "The error rate of a fair mechanism is 1 - y for all weights.",
        "holds",
        "mech.loss",
    ),
    Item(
        "Equation (14)",
        "4",
        "WH, weak honesty: the truth has at least the chance 1/(n+1) of a uniform guess. CH implies WH. GM"
        " may lack it.",
        "holds",
        "mech.properties()",
    ),
    Item(
        "Equation (15)",
        "4",
        "S, symmetry: P[i, j] = P[n-i, n-j].",
        "no claim",
        "mech.properties()",
        "tests/assess/test_properties.py::test_properties_are_their_definitions",
    ),
    Item(
        "Theorem 1",
        "4",
        "Symmetry is free: the mean of a mechanism and its mirror image keeps all properties and the"
        " objective. This needs weights that are symmetric, as the paper's are, and a sum: with a maximum the"
        " objective may become smaller.",
        "holds",
        "design.constrained(properties=('S',))",
    ),
    Item(
        "Section 4, consequences",
        "4",
        "F, CH and WH prevent gaps; column honesty and monotonicity prevent spikes. RH and RM alone prevent neither.",
        "holds",
        "design.constrained",
    ),
    Item(
        "Theorem 2",
        "4",
        "Every set of properties is a linear program that UM satisfies. The printed constraints for RM leave"
        " out the step beside the diagonal; ranges must be i <= j and j <= i.",
        "misprint",
        "design.constrained",
    ),
    Item(
        "Definition 5",
        "4",
        "UM, the uniform mechanism, has all properties, error rate n/(n+1) and L0 = 1.",
        "holds",
        "design.uniform",
    ),
    Item(
        "Theorem 3",
        "5.1",
        "One bit: randomized response is the one non-trivial optimum for every t if alpha < w1/w0 < 1/alpha."
        " The print has <=; at the two ends mixtures with a constant answer are optimal too.",
        "misprint",
        "design.constrained(n=1, weights=)",
    ),
    Item(
        "Fact 1",
        "5.1",
        "Randomized response with p >= 1/2 has all seven properties.",
        "holds",
        "design.randomized_response",
    ),
    Item(
        "Theorem 4",
        "5.2",
        "One bit: the exponential mechanism is randomized response with p = exp(epsilon/2)/(1 +"
        " exp(epsilon/2)), and spends half of its budget.",
        "holds",
        "design.exponential(n=1)",
    ),
    Item(
        "Proof of Theorem 4",
        "5.2",
        "Pr[0|0]/Pr[1|0] is exp(epsilon/2); the print has exp(-epsilon/2).",
        "misprint",
        "design.exponential(n=1)",
    ),
    Item(
        "Lemma 2",
        "5.3",
        "One bit: GM is randomized response with p = 1/(1+alpha).",
        "holds",
        "design.geometric(upper=1)",
    ),
    Item(
        "Section 5",
        "5",
        "For n = 1 all approaches give randomized response, which has all properties.",
        "holds",
        "design.randomized_response",
    ),
)

ITEMS = (*_SETTING, *MECHANISMS, *EXPERIMENTS)
