"""The register of Cormode 2019, sections 7 and 8 and the appendix."""

from discreet.papers.register import Item

ADULT = "needs the Adult data: discreet papers cormode2019 --adult FILE"

EXPERIMENTS = (
    Item(
        "Section 7",
        "7",
        "Settings: alpha = 1/2, 2/3, 10/11, 99/100, n from 2 to hundreds; programs took less than a second.",
        "no claim",
        "",
        "settings, and times on another machine",
    ),
    Item(
        "Section 7.1",
        "7.1",
        "Weak honesty with CH, CM, RH, RM makes nine sets. The name WM is given to WH, RM and CM, and the"
        " figures that follow behave as WH alone: Discreet has both.",
        "holds",
        "design.weakly_honest(columns=)",
    ),
    Item(
        "Figure 8(a)",
        "7.1",
        "alpha = .76: sets with a column property cost more than the others; from n = 6.33 on the others cost"
        " .864, as GM.",
        "holds",
        "design.constrained",
    ),
    Item(
        "Figure 8(b)",
        "7.1",
        "Over alpha: two costs, the lower one GM's; for large alpha all sets cost the same as EM. They are"
        " close and not the same. The text gives no n; we take 8.",
        "fails",
        "design.constrained",
    ),
    Item(
        "Figure 9(a)",
        "7.1",
        "alpha = 2/3, threshold 4: WM is GM, and EM costs more and less with larger n.",
        "holds",
        "mech.loss('L0')",
    ),
    Item(
        "Figure 9(b)",
        "7.1",
        "alpha = 10/11: the cost of WM meets that of GM at n = 20 (WH alone).",
        "holds",
        "mech.loss('L0')",
    ),
    Item(
        "Figure 9(c)",
        "7.1",
        "alpha = 99/100, threshold 198: EM is weakly honest, and WM costs the same as EM. It costs less, in"
        " both readings.",
        "fails",
        "mech.loss('L0')",
    ),
    Item(
        "Section 7.2",
        "7.2",
        "Adult data, three binary attributes in small groups: inputs 0 and n are rare. They are not rare in"
        " groups of 4.",
        "fails",
        "papers.cormode2019.adult_data",
        ADULT,
    ),
    Item(
        "Figure 10",
        "7.2",
        "alpha = .9, error rate over n: GM worse than UM, WM (WH alone) close to UM, EM best. For high income"
        " GM is better than UM in small groups.",
        "fails",
        "papers.cormode2019.figures_errors.figure_10",
        ADULT,
    ),
    Item(
        "Section 7.2, UM",
        "7.2",
        "UM picks a wrong answer with chance 1 - 1/(n+1), whatever the data. The print says correct.",
        "misprint",
        "design.uniform",
    ),
    Item(
        "Section 7.3",
        "7.3",
        "Binomial data: 10,000 people in groups of n, each with the attribute with chance p. Discreet"
        " computes expectations, and the standard deviation of such a run. L0 is close to 1 for all mechanisms.",
        "holds",
        "papers.cormode2019.count_mechanisms.binomial",
        "tests/papers/cormode2019/test_experiments.py::test_error_bars_are_those_of_simulated_runs",
    ),
    Item(
        "Figure 11",
        "7.3",
        "L0,1 over p: GM is best for p near 0 or 1, constrained mechanisms for p near 1/2; at alpha = .91 GM"
        " is often worse than UM.",
        "holds",
        "mech.loss(('L0', 1))",
    ),
    Item(
        "Figure 12",
        "7.3",
        "L0,d over d, n = 8: EM best on balanced data, its lead over GM growing with d, and not much worse on"
        " skewed data. EM is best for small d only, the lead shrinks from d = 2 on, and EM can be 2.25 times"
        " worse. The text gives no p; we take .5 and .1.",
        "fails",
        "mech.loss(('L0', d))",
    ),
    Item(
        "Figure 13",
        "7.3",
        "RMSE over p: less for p near 1/2, more for larger groups; at alpha = .91 EM tends to be best for all"
        " n and p. EM is best only for p near 1/2; EM* is best nearly everywhere.",
        "fails",
        "mech.loss('L2')",
    ),
    Item(
        "Figure 14",
        "7.3",
        "Histograms of errors, n = 8: 0 is the likeliest error at p = .1; GM has a second peak at alpha ="
        " .91; WM and EM are smoother.",
        "holds",
        "papers.cormode2019.count_mechanisms.error_histogram",
    ),
    Item(
        "Footnote 2",
        "7.3",
        "p is the parameter of the binomial data.",
        "no claim",
        "",
        "a notation: nothing to compute",
    ),
    Item(
        "Section 7.4",
        "7.4",
        "For L1 and L2 sets of properties lead to many costs. The names: UCM no property, WM weak honesty, FM"
        " fairness, AM all.",
        "holds",
        "design.constrained(objective='L1')",
    ),
    Item(
        "Figure 15",
        "7.4",
        "RMSE of mechanisms for L1: UCM among the best, WM similar for small groups, AM good for p near 1/2,"
        " FM better with larger n. At n = 4 WM has up to 1.58 times the error of UCM. The text gives no n and"
        " alpha; we take Figure 13's.",
        "fails",
        "design.constrained(objective='L1')",
    ),
    Item(
        "Figure 16",
        "7.4",
        "The same for L2. FM does not always do better with larger n.",
        "fails",
        "design.constrained(objective='L2')",
    ),
    Item(
        "Figure 17",
        "7.4",
        "L1,d: on skewed data UCM is worst for small d and best for large d; AM, FM and WM almost overlap for"
        " smaller alpha. L1,d is not defined; the text fits the mass beyond d of mechanisms for L1. The three"
        " do not overlap at alpha = .67, p = .1.",
        "fails",
        "papers.cormode2019.claims_objectives",
    ),
    Item(
        "Figure 18",
        "7.4",
        "The same for L2.",
        "fails",
        "papers.cormode2019.claims_objectives",
    ),
    Item(
        "Section 7.4, summary",
        "7.4",
        "AM and FM suit skewed data and strong privacy, WM less biased data.",
        "holds",
        "design.constrained",
    ),
    Item(
        "Section 8, applications",
        "8",
        "Naive Bayes and Chow-Liu trees from counts in groups: GM and WM are alike, EM much weaker, all weak"
        " unless alpha is very low. One count a cell for all people together keeps nearly everything at the"
        " same alpha.",
        "holds",
        "papers.cormode2019.bayes_models",
    ),
    Item(
        "Section 8, composition",
        "8",
        "A joint distribution costs no more than one count, because everybody is in one cell. PRIVACY: with"
        " the paper's neighbours, a changed answer, two cells change, and a table costs 2 epsilon; k tables"
        " cost k times that.",
        "fails",
        "account.compose",
    ),
    Item(
        "Section 8, summary",
        "8",
        "GM often reports 0 or n, the more so for larger alpha. EM and WM are often similar in performance.",
        "holds",
        "design.geometric(upper=n)",
    ),
    Item(
        "Section 8, column privacy",
        "8",
        "Future work: bound the ratio of neighbouring outputs too. EM has this bound already, at its own"
        " epsilon. Of all mechanisms that have it, the cheapest for L0 has WH, RM, CM and S for nothing.",
        "no claim",
        "design.constrained(properties=('CP',)), assess.properties.column_epsilon",
        "tests/design/matrix/test_constrained.py::test_column_privacy_bounds_neighbouring_outputs",
    ),
    Item(
        "Section 8, L1 and L2",
        "8",
        "Future work: a deeper study of properties for L1 and L2.",
        "no claim",
        "design.constrained(objective='L1')",
        "a plan; Discreet solves all of these programs",
    ),
    Item(
        "Section 8, range queries",
        "8",
        "Future work: programs for range queries. Whether a count lies in a random range a..b is a loss d"
        " (n+2-d) of the distance d, so the program takes it.",
        "no claim",
        "papers.cormode2019.claims_applications.range_loss",
        "tests/papers/cormode2019/test_applications.py::test_the_range_loss_counts_ranges",
    ),
    Item(
        "Equation (18)",
        "appendix",
        "The two privacy constraints that bind for one bit.",
        "no claim",
        "",
        "a step of the proof of Theorem 3, judged there",
    ),
    Item(
        "Proof of Theorem 3",
        "appendix",
        "A constant answer is optimal if w1/w0 < alpha or > 1/alpha; the print has w1/w0 < 1/alpha. Pr[1|1]"
        " is 1 - alpha Pr[0|0]; the print divides by alpha.",
        "misprint",
        "design.constrained(n=1, weights=)",
    ),
    Item(
        "Equations (19)-(21)",
        "appendix",
        "Proof of Theorem 5: with all constraints tight, the columns sum to 1 for one diagonal, that of GM.",
        "holds",
        "design.geometric(upper=n)",
    ),
    Item(
        "Proof of Theorem 6",
        "appendix",
        "Columns of EM hold the same terms, for odd n one more; steps along rows and columns are factors 1 or"
        " alpha. The printed sums have wrong ranges, and case (3) the wrong direction. It has the y for odd n"
        " that (16) lacks.",
        "misprint",
        "design.fair(variant='paper')",
    ),
    Item(
        "Equation (22)",
        "appendix",
        "Neighbouring columns of EM differ by at most one power of alpha.",
        "holds",
        "mech.epsilon()",
    ),
)
