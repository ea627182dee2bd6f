"""The register of Wang 2020, second part: the examples, the tables, the discussion and what is left for later."""

from discreet.papers.register import Item

TESTS = "tests/papers/wang2020"
HERE = "papers.wang2020"

RESULTS = (
    Item(
        "Section 4.1",
        "4.1",
        "The procedure is repeated 10,000 times for each example. Here 40,000 times for the claims and 10,000 times for"
        " the figures, with a seed; the moments of algorithms 1 (independence) and 2 are exact.",
        "no claim",
        f"{HERE}.repeated_runs.runs",
        "a setting",
    ),
    Item(
        "Example 1",
        "4.1.1",
        "50 simulated counts with the sum 21249: three 0; 1, 2 and 3; five between 15 and 60; the others between 60 and"
        " 1000. Minimum, quartiles and maximum are 0, 60, 382, 736, 977. The list is not printed; ours is rebuilt from"
        " these properties.",
        "holds",
        f"{HERE}.example_data.EXAMPLE_1",
    ),
    Item(
        "Figure 1",
        "4.1.1",
        "The distribution of the true counts of Example 1.",
        "no claim",
        f"{HERE}.example_data.EXAMPLE_1",
        f"{TESTS}/test_figures.py::test_figure_1_has_the_true_counts_of_example_1",
    ),
    Item(
        "Table 1",
        "4.1.1",
        "Means and variances of the five representative counts of Example 1, by algorithm.",
        "holds",
        f"{HERE}.exact_moments.moments",
    ),
    Item(
        "Section 4.1.1, comments",
        "4.1.1",
        "Means are close to the true counts; the mean of a count of 0 is close to 1, and its variance much the same in"
        " all algorithms; variances of large counts are close to the counts for algorithms 1 and 2, and small and alike"
        " for algorithm 3; algorithm 2 is slightly better than 1. Not so for a count of 0: its mean is 0.4 in"
        " algorithms 2 and 3, and its variances differ by a factor of 3.7.",
        "fails",
        f"{HERE}.exact_moments.moments",
    ),
    Item(
        "Example 2",
        "4.1.2",
        "Seats of 50 states in the House of Representatives after the census of 2010, with the sum 863. One of the 50"
        " is the House itself, 435, and a state with 7 seats is missing.",
        "fails",
        f"{HERE}.example_data.EXAMPLE_2",
    ),
    Item(
        "Table 2",
        "4.1.2",
        "The counts of Example 2, and how often each occurs. The caption is that of Table 3.",
        "misprint",
        f"{HERE}.example_data.TABLE_2",
        f"{TESTS}/test_data.py::test_table_2_is_the_seats_of_2010_without_alabama_and_with_the_house",
    ),
    Item(
        "Table 3",
        "4.1.2",
        "Means and variances of the five representative counts of Example 2, by algorithm.",
        "holds",
        f"{HERE}.exact_moments.moments",
    ),
    Item(
        "Section 4.1.2, comments",
        "4.1.2",
        "As in Example 1: means are very close, variances of algorithms 1 and 2 are similar, those of algorithm 3 the"
        ' smallest, and one draw of it is similar to the data. "Algorithm 4" is algorithm 3. The means of small counts'
        " are not close (1.46 for a count of 1 in algorithm 1), and algorithm 1 has up to 1.49 times the variance of"
        " algorithm 2. The rest holds.",
        "fails",
        f"{HERE}.repeated_runs.runs",
    ),
    Item(
        "Table 4",
        "4.2",
        "The ten most probable pairs of true counts given 250 and 357 by algorithm 2. The text calls it Table 5. The"
        " pairs are right. The probabilities are those of true counts within 10, not within 30 as stated.",
        "fails",
        "infer.wang_pair",
    ),
    Item(
        "Table 5",
        "4.2",
        "The same for algorithm 3. The text calls it Table 6.",
        "holds",
        'infer.wang_pair(ties="paper")',
    ),
    Item(
        "Section 4.2, comments",
        "4.2",
        "Both posteriors have their mode at the released counts, and are similar; that of algorithm 2 is flat. They"
        " have little in common but the mode.",
        "fails",
        "infer.wang_pair",
    ),
    Item(
        "Section 5.1",
        "5.1",
        "Means are almost the same as the true counts. Algorithm 3 is close to the true counts most of the time and"
        " much more centred than the others. Algorithm 2 is slightly better than algorithm 1. The two cases of"
        " algorithm 1 do not differ. A count of 0 is released as 0 or 1, most likely. All holds, but for the means"
        " of the smallest counts.",
        "fails",
        f"{HERE}.repeated_runs.runs",
    ),
    Item(
        "Section 5.1, large counts among zeros",
        "5.1",
        "Large counts get smaller if there are many zeros, because zeros get a portion of the total.",
        "holds",
        f"{HERE}.claims_discussion.large_mean",
    ),
    Item(
        "Section 5.1, variability",
        "5.1",
        "Variances of algorithm 3 are smaller and more stable because nothing is drawn from a multinomial.",
        "holds",
        f"{HERE}.exact_moments.moments",
    ),
    Item(
        "Section 5.2, estimates",
        "5.2",
        "The posterior is wider for algorithm 2, and the released counts are a reasonable estimate for both. They are"
        " the most probable counts in all cases tried.",
        "holds",
        "infer.wang_pair",
    ),
    Item(
        "Section 5.2, the best algorithm",
        "5.2",
        "Algorithm 3 is the best, so users get good estimates. It is the best of the three. Least squares has a fifth"
        " less squared error in Example 2 and 0.2% more in Example 1. Its average bias is 0.35 times that of"
        " algorithm 3 in Example 2, and 0.51 times in Example 1.",
        "loose",
        'reconcile.wang(algorithm="gls")',
    ),
    Item(
        "Section 5.3, algorithm 1",
        "5.3",
        "Left for later: the posterior of algorithm 1, with the expectation that it is similar to that of algorithm 2."
        " Here it is computed for two components. The posterior of a large component is as expected. That of the total"
        " is not.",
        "no claim",
        f"{HERE}.algorithm_1_posterior.algorithm_1",
    ),
    Item(
        "Section 5.3, more components",
        "5.3",
        "Left for later: more than two components, perhaps by MCMC. Here the posteriors of algorithms 2 and 3 are exact"
        " for any number of components.",
        "no claim",
        "infer.wang",
    ),
)
