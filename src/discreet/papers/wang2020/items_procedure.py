"""The register of Wang 2020, first part: sections 1 to 3, the noise, the posteriors, the mode and the algorithms."""

from discreet.papers.register import Item

TESTS = "tests/papers/wang2020"
HERE = "papers.wang2020"

PROCEDURE = (
    Item(
        "Section 1",
        "1",
        "Counts with noise of their own do not add up. Make them add up afterwards, by a multinomial whose size is the"
        " noisy total and whose proportions come from the noisy components: by a draw, or by its mode.",
        "holds",
        "reconcile.wang",
    ),
    Item(
        "Definition 1",
        "2.1",
        "Differential privacy, for data that differ in one person. Its epsilon is called alpha here; two lines below"
        " alpha is exp(-epsilon).",
        "no claim",
        "Mechanism.epsilon",
        "tests/assess/test_privacy.py::test_delta_is_that_of_the_definition",
    ),
    Item(
        "Geometric noise",
        "2.1",
        "Noise d has the chance (1 - alpha)/(1 + alpha) alpha^|d|, alpha = exp(-epsilon). (An equation without a"
        " number.)",
        "holds",
        "design.geometric",
    ),
    Item(
        "Section 2.1, epsilon = 1",
        "2.1",
        "Each component and the total get noise of epsilon 1. The paper does not say what both cost together:"
        " 2 epsilon, because one person is in a component and in the total.",
        "no claim",
        "account.compose",
    ),
    Item(
        "Section 2.1, range of the noise",
        "2.1",
        "Noise is sampled from -50 to 50, because more is very unlikely. True at epsilon 1. The cut has a delta, which"
        " is no longer small at epsilon 0.2.",
        "holds",
        "design.geometric(epsilon=)",
    ),
    Item(
        "Section 2.2",
        "2.2",
        "Notation: true counts N_s and N, noisy counts n_s = N_s + noise and n = N + noise. Printed: n = n + noise.",
        "misprint",
        "reconcile.wang",
        "n is the noisy total, so its centre is N",
    ),
    Item("Equations (1)-(2)", "2.2", "The chance of a noisy count given the true count.", "holds", "Mechanism.pmf"),
    Item(
        "Equation (3)",
        "2.2",
        "Bayes' theorem for one count. Printed with an integral over N_s.",
        "misprint",
        "infer.posterior",
        "counts are integers, so the integral is a sum; (4) and (5) have values",
    ),
    Item(
        "Section 2.2.1",
        "2.2.1",
        "Approximation based on independence: flat priors of N and of all N_s, and each posterior by itself. They"
        " cannot all be flat, because N is the sum. The example of a prior, Unif(0, 1000), excludes Example 1's total.",
        "no claim",
        'reconcile.wang(algorithm="1i")',
        "an approximation, named as such; (6) has a comparison",
    ),
    Item(
        "Equations (4)-(5)",
        "2.2.1",
        "With a flat prior the posterior of a count is proportional to alpha^|N - n|. With the factor"
        " (1 - alpha)/(1 + alpha) it sums to 1 only if counts below 0 are allowed.",
        "holds",
        "infer.posterior",
    ),
    Item(
        "Section 2.2.2",
        "2.2.2",
        "n* is the sum of the noisy components, N plus the noise eta. n and n* are independent given N, which is what"
        ' (6) uses. Printed without "given N", and once with N* for n*.',
        "misprint",
        'reconcile.wang(algorithm="1c")',
        "n and n* are both N plus noise, so they are independent only if N is given",
    ),
    Item(
        "Equation (6)",
        "2.2.2",
        "The posterior of the total given the noisy total and the noisy sum: p(n|N) p(n*|N) p(N). The paper calls it an"
        " approximation. It is exact, unless components near 0 say more than their sum.",
        "holds",
        f"{HERE}.total_posterior.by_equation_6",
    ),
    Item(
        "Section 2.2.2, distribution of eta",
        "2.2.2",
        "p(n*|N) is the chance that the noises of all components add up to n* - N: a convolution. Printed: the sum of"
        " three noises, and products of chances without the sum over all noises with one eta.",
        "misprint",
        "reconcile.wang_lists.sum_of_noises",
    ),
    Item(
        "Theorem 1",
        "2.3",
        "Finucan's algorithm ends in a mode of the multinomial. True from any start: it is D'Hondt's apportionment. r"
        " and S are one number. A mode need not be unique, and a proportion of 0 makes f/k = 0/0.",
        "holds",
        "reconcile.apportion.mode",
    ),
    Item(
        "Steps 1-2",
        "3.1.1",
        "Add noise to the total, and to every component.",
        "no claim",
        "design.geometric",
        "(1) and (2) have the claims",
    ),
    Item(
        "Step 3.a",
        "3.1.1",
        "Draw the total from (4), on counts that are possible. Printed: positive draws, and a sum over n - noise > 0."
        " A draw of 0 must be allowed.",
        "misprint",
        'reconcile.wang(algorithm="1i")',
        "step 4 has the value that shows it",
    ),
    Item(
        "Step 3.b",
        "3.1.1",
        "The same from (6).",
        "misprint",
        'reconcile.wang(algorithm="1c")',
        "as step 3.a",
    ),
    Item(
        "Step 4",
        "3.1.1",
        "Draw every component from (5), from 0 on. Printed: positive, and p(N) for p(N_s).",
        "misprint",
        f"{HERE}.geometric_draws.drawn_given_noisy",
    ),
    Item(
        "Step 5",
        "3.1.1",
        "Poisson variables given their sum are multinomial.",
        "holds",
        "",
    ),
    Item(
        "Algorithm 1",
        "3.1.1",
        "A multinomial draw with the size of step 3.a (1i) or 3.b (1c) and proportions from step 4. Open: all draws"
        " of step 4 are 0; then the proportions are equal here.",
        "no claim",
        'reconcile.wang(algorithm="1i" or "1c")',
        f"{TESTS}/test_moments.py::test_runs_have_the_exact_moments",
    ),
    Item(
        "Algorithm 2",
        "3.1.1",
        "A multinomial draw of size n with the noisy proportions, negative ones replaced by the mode of the posterior,"
        " which is 0. Printed: p(N_s|N_s) for p(N_s|n_s). Open: n below 0, and no positive n_s; here the total is then"
        " 0, and the proportions are equal.",
        "misprint",
        'reconcile.wang(algorithm="2")',
        f"{TESTS}/test_moments.py::test_runs_have_the_exact_moments",
    ),
    Item(
        "Algorithm 3",
        "3.1.2",
        "The mode of the multinomial of algorithm 2, by Theorem 1. Steps 3.a and 4 are said to be repeated, and are not"
        " used. Which mode is open: the rule for ties decides half of the runs.",
        "no claim",
        'reconcile.wang(algorithm="3", ties="paper")',
        f"{TESTS}/test_moments.py::test_the_printed_rule_gives_a_mode",
    ),
    Item(
        "Section 3.2, posterior",
        "3.2",
        "With flat priors the posterior of the true counts is the sum over all noisy counts of their chance times the"
        " chance of what is released. (An equation without a number.)",
        "holds",
        "infer.wang_pair",
    ),
    Item(
        "Section 3.2, two components",
        "3.2",
        "The same for two components, as a sum over n_1, n_2 and n. Printed: over n_1, n_2 and n_2.",
        "misprint",
        "infer.wang_pair",
        "the terms depend on n; in algorithms 2 and 3 n is the released total",
    ),
    Item(
        "Section 3.2, procedure",
        "3.2",
        "Brute force for two components: true counts within 30 of the released ones, noisy counts within 30 of the"
        " true ones, 61 by 61 grids. n is the released total in algorithms 2 and 3. For algorithm 2, 30 leaves out 1.3%"
        " of the posterior.",
        "holds",
        f"{HERE}.posterior_grid.grid",
    ),
)
