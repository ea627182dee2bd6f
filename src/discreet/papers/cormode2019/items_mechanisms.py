"""The register of Cormode 2019, section 6: the explicit mechanisms, and which one to take."""

from discreet.papers.register import Item

MECHANISMS = (
    Item(
        "Section 6",
        "6",
        "For n > 1 the mechanisms differ. All of section 6 is about n > 1; at n = 1 GM has every property.",
        "no claim",
        "design.geometric(upper=n)",
    ),
    Item(
        "Figure 3",
        "6.1",
        "GM: x = 1/(1+alpha) in the first and last row, y = (1-alpha)/(1+alpha) in the others, times alpha^|i-j|.",
        "holds",
        "design.geometric(upper=n)",
    ),
    Item(
        "Footnote 1",
        "6.1",
        "The paper's matrices have privacy along rows, and Ghosh's along columns.",
        "no claim",
        "mech.matrix()",
        "a notation: nothing to compute",
    ),
    Item(
        "Theorem 5",
        "6.1",
        "GM is the one optimum for L0 if only privacy is asked for. It stays optimal under a prior as long as"
        " no step of the prior exceeds 1/alpha.",
        "holds",
        "design.geometric(upper=n)",
    ),
    Item(
        "Lemma 3",
        "6.1",
        "GM is weakly honest if and only if n >= 2 alpha/(1-alpha).",
        "holds",
        "mech.properties()",
    ),
    Item(
        "Lemma 4",
        "6.1",
        "GM is column monotone if and only if alpha <= 1/2.",
        "holds",
        "mech.properties()",
    ),
    Item(
        "Proof of Lemma 4",
        "6.1",
        "What is needed is Pr[0|1] <= Pr[1|1]; the print has the inequality the other way round.",
        "misprint",
        "mech.properties()",
    ),
    Item(
        "Section 6.1",
        "6.1",
        "GM is symmetric and row monotone, and its L0 is 2 alpha/(1+alpha) for every n.",
        "holds",
        "mech.loss('L0')",
    ),
    Item(
        "Lemma 5",
        "6.2",
        "A fair mechanism has y at most 1 / sum_i alpha^|i-floor(n/2)|. The printed closed form is this for"
        " even n only; for odd n it is too small, and EM exceeds it.",
        "misprint",
        "design.fair",
    ),
    Item(
        "Equation (16)",
        "6.2",
        "y = (1-alpha)/(1+alpha-2 alpha^(n/2+1)), right for even n. For odd n the columns of EM would not sum to 1.",
        "misprint",
        "design.fair(variant='paper')",
    ),
    Item(
        "Section 6.2, larger y",
        "6.2",
        "Optimal fair mechanisms for every t have the largest y. True for L0; for L2 less y can be better.",
        "fails",
        "design.constrained(properties='F', objective='L2')",
    ),
    Item(
        "Equation (17)",
        "6.2",
        "EM: y alpha^e with e = |i-j| near the diagonal, and about (|i-j| + min(j, n-j))/2 farther out. The text"
        " says that y meets the bound of Lemma 1; Lemma 5 is meant.",
        "holds",
        "design.fair(variant='paper')",
    ),
    Item(
        "Section 6.2",
        "6.2",
        "No fair mechanism has all privacy constraints tight; L0 of EM is (n+1)/n (1-y); its diagonal is"
        " above GM's but for the corners; an exponential mechanism with the same exponents has half the"
        " epsilon.",
        "holds",
        "design.fair(variant='paper')",
    ),
    Item(
        "Figure 4",
        "6.2",
        "The powers of alpha in EM for n = 7.",
        "holds",
        "design.fair(variant='paper')",
    ),
    Item(
        "Theorem 6",
        "6.2",
        "EM has all seven properties and the least L0 of all fair mechanisms. Of all such mechanisms EM has"
        " the largest errors; EM* has the smallest.",
        "loose",
        "design.fair",
    ),
    Item(
        "Section 6.3",
        "6.3",
        "Two costs if alpha <= 1/2, at most four otherwise; CM brings CH and WH, and row properties and"
        " symmetry are free.",
        "holds",
        "design.select",
    ),
    Item(
        "Figure 5",
        "6.3",
        "The flowchart for alpha > 1/2: fairness, column properties, weak honesty, size.",
        "holds",
        "design.select",
    ),
    Item(
        "Figure 6",
        "6.3",
        "Which of GM, WM, EM, UM has which property, and their L0. The column of WM is weak honesty alone,"
        " whose L0 has a closed form, which the paper does not know.",
        "loose",
        "design.weakly_honest",
    ),
    Item(
        "Figure 7",
        "1 and 6.3",
        "GM, EM and WM at n = 4, alpha = .9: GM favours 0 and n, EM the diagonal, WM is between. The chances"
        " of the truth in section 1, .224 and .238, are those of alpha = 10/11.",
        "misprint",
        "design.fair, design.geometric, design.weakly_honest",
    ),
    Item(
        "Section 6.3, EM and GM",
        "6.3",
        "EM cannot be made from outputs of GM, for any n > 1.",
        "holds",
        "mech.derivable()",
    ),
    Item(
        "Section 6.3, WM and GM",
        "6.3",
        "WM cannot be made from outputs of GM for n > 1. Optima are not unique: some can, some cannot; where"
        " n >= 2 alpha/(1-alpha), WM with weak honesty alone is GM.",
        "fails",
        "mech.derivable()",
    ),
)
