"""Claims about section 4 of Sadeghi 2023: lookup tables, Examples 2 and 3, and the experiments."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from discreet.design.additive.maxent import paper_table
from discreet.papers.claim import Claim
from discreet.papers.sadeghi2023.claim_values import decimals, integer, ours, share, statement
from discreet.papers.sadeghi2023.lookup_tables import (
    EPSILONS,
    KEYS,
    SUPPORT,
    certified,
    design,
    experiment,
    full,
    lookup,
    sampled,
    step,
    thresholds,
    weights,
)
from discreet.papers.sadeghi2023.truncated_gaussian import exact_masses, example_1
from discreet.papers.wording import ABOUT, SLIGHTLY, about, little, slightly

HALF = Fraction(1, 2)


def quantisation() -> list[Claim]:
    """(4.1)-(4.3), step (5)."""
    ends = []
    for epsilon in EPSILONS:
        for bits in KEYS:
            bounds = thresholds(paper_table(design(epsilon), bits))
            ends.append((bounds[-SUPPORT - 1], bounds[SUPPORT]) == (0, 1 << bits))
    floats = [float(np.cumsum(design(epsilon).interior[0].values)[-1]) for epsilon in EPSILONS]
    above = sum(total > 1 for total in floats)
    table = paper_table(example_1(), 32)
    last = (1 << 32) - 1
    return [
        statement(
            "Equation (4.2)",
            "0 and 1 become 0 and KEYSIZE: the 25 designs of section 4.3 at 8, 16 and 32 bits, in exact numbers",
            share(ends),
            all(ends),
        ),
        ours(
            "Equation (4.2)",
            "of these 25 designs, how many have a distribution function that passes 1 in floats, so that the last"
            " threshold is KEYSIZE + 1",
            f"{above} of {len(floats)}",
            "the last threshold has to be set to KEYSIZE; Discreet computes thresholds in integers",
        ),
        ours("Equation (4.3)", "noise of the largest key, 2^32 - 1, Example 1", lookup(table, last)),
    ]


def example_2() -> list[Claim]:
    """Example 2, (4.4)."""
    item, noise = "Example 2", example_1()
    table = paper_table(noise, 32)
    bounds, masses = thresholds(table), exact_masses(noise)
    small = thresholds(paper_table(noise, 8))
    return [
        integer(item, "c^Q(-26)", 0, bounds[-26]),
        decimals(item, "c(-25)", "0.000099129808160", masses[0]),
        integer(item, "c^Q(-25)", 425760, bounds[-25]),
        decimals(item, "c(-24)", "0.0002622470798742925", sum(masses[:2], Fraction(0))),
        integer(item, "c^Q(-24)", 1126343, bounds[-24]),
        decimals(item, "c(-23)", "0.0005252540370388639", sum(masses[:3], Fraction(0))),
        integer(item, "c^Q(-23)", 2255949, bounds[-23]),
        integer(item, "c^Q(25)", 2**32, bounds[25]),
        integer(item, "size of the lookup table", 51, len(weights(table))),
        integer(item, "noise of cell key 2552", -25, lookup(table, 2552)),
        integer(item, "noise of cell key 1200124", -23, lookup(table, 1200124)),
        Claim(
            item,
            "KEYSIZE 2^8: c^Q(-25), c^Q(-24), c^Q(-23)",
            "1 1 1",
            " ".join(str(small[z]) for z in (-25, -24, -23)),
            [small[z] for z in (-25, -24, -23)] == [1, 1, 1],
        ),
        ours(
            item,
            "KEYSIZE 2^8: values of [-25, 25] that never occur",
            str(weights(paper_table(noise, 8)).count(0)),
        ),
    ]


def measures() -> list[Claim]:
    """(4.5)-(4.11), beside the exact delta of every table."""
    exact = [
        math.isclose(float(quantised.delta), paper_table(design(epsilon), bits).delta(quantised.epsilon), rel_tol=1e-9)
        for bits in KEYS
        for epsilon, quantised in full(bits).items()
    ]
    least = [quantised.delta >= Fraction(1, 1 << bits) for bits in KEYS for quantised in full(bits).values()]
    steps = [
        (experiment(epsilon, few), experiment(epsilon, more)) for epsilon in EPSILONS for few, more in pairwise(KEYS)
    ]
    less_bias = [abs(large.bias) < abs(small.bias) for small, large in steps]
    nearer = [abs(large.variance_error) < abs(small.variance_error) for small, large in steps]
    low = experiment(EPSILONS[0], 8)
    lost = experiment(Fraction(7, 10), 8)
    return [
        statement(
            "Equations (4.6)-(4.7)",
            "a larger KEYSIZE brings the bias nearer to 0: 25 designs, from 2^8 to 2^16 and from there to 2^32",
            share(less_bias),
            all(less_bias),
            "the bias is exactly -D/KEYSIZE, because c^Q(z) and c^Q(-z-1) add up to KEYSIZE + 1, and c(z) and c(-z-1)"
            " to 1",
        ),
        statement(
            "Equations (4.6)-(4.7)",
            "a larger KEYSIZE brings the variance nearer to that of the noise: the same designs and steps",
            share(nearer),
            all(nearer),
        ),
        statement(
            "Equation (4.11)",
            "the table has delta^Q at epsilon^Q: exact delta there, all tables of section 4.3 with full support",
            share(exact),
            all(exact),
        ),
        ours(
            "Equation (4.11)",
            "exact delta at the design's epsilon, and delta^Q: KEYSIZE 2^8, epsilon 0.1 (full support)",
            f"{low.exact:.4g} and {float(low.delta):.4g}",
            "at an epsilon below epsilon^Q the steps that pass epsilon are lost too",
        ),
        ours(
            "Equation (4.11)",
            "exact delta at the design's epsilon, and delta^Q: KEYSIZE 2^8, epsilon 0.7 (a weight is 0)",
            f"{lost.exact:.4g} and {float(lost.delta):.4g}",
            "without full support (epsilon^Q, delta^Q) is no guarantee; the paper excludes such tables",
        ),
        statement(
            "Section 4.2",
            "delta^Q is at least 1/KEYSIZE: all tables of section 4.3 with full support",
            share(least),
            all(least),
        ),
        *_closer_measures(),
    ]


def _closer_measures() -> list[Claim]:
    """Section 4.2: the larger KEYSIZE, the closer epsilon^Q and delta^Q get to those of the noise."""
    losses, deltas, targets = [], [], []
    for epsilon in EPSILONS:
        noise = design(epsilon)
        own, target, delta = float(noise.design["gamma"]) * (2 * SUPPORT - 1), float(epsilon), noise.delta(epsilon)
        for few, more in pairwise(KEYS):
            small, large = experiment(epsilon, few), experiment(epsilon, more)
            deltas.append(abs(float(large.delta) - delta) < abs(float(small.delta) - delta))
            if math.isfinite(large.epsilon):
                losses.append(abs(large.epsilon - own) < abs(small.epsilon - own))
                targets.append(abs(large.epsilon - target) < abs(small.epsilon - target))
    what = "a larger KEYSIZE brings {} nearer to {} of the noise before it, 2^8 to 2^16 to 2^32, section 4.3"
    return [
        statement(
            "Section 4.2", what.format("epsilon^Q", "the largest step") + " (full support)", share(losses), all(losses)
        ),
        statement("Section 4.2", what.format("delta^Q", "delta"), share(deltas), all(deltas)),
        ours(
            "Section 4.2",
            "the same for epsilon^Q and the epsilon of the design",
            share(targets),
            "gamma is below epsilon/(2D-1), so the largest step of the noise is below epsilon, and a coarse table"
            " may be nearer to epsilon by chance",
        ),
    ]


def example_3() -> list[Claim]:
    """Example 3, (4.12)."""
    item, noise = "Example 3", example_1()
    table = paper_table(noise, 32)
    integers, quantised = weights(table), sampled(noise, HALF, 32)
    masses = [Fraction(w, 1 << 32) for w in integers]
    ours_table = noise.certify(bits=32)
    design_step = float(noise.design["gamma"]) * 49
    smaller = float(ours_table.guarantee.delta)
    return [
        decimals(item, "p^Q(-25)", "0.000099129974842", masses[0]),
        decimals(item, "p^Q(-24)", "0.000163117190823", masses[1]),
        decimals(item, "p^Q(-23)", "0.0002630068920552731", masses[2]),
        integer(item, "c^Q(24)", 4294541537, thresholds(table)[24]),
        decimals(item, "p^Q(25)", "0.00009912974201142788", masses[-1]),
        statement(
            item, "p^Q is not symmetric: pairs +-z with different weights", _unequal(integers), bool(_unequal(integers))
        ),
        decimals(
            item,
            "bias B^Q",
            "-5.820766091346741e-9",
            quantised.bias,
            f"exactly -D/KEYSIZE; Discreet's table of 32 bits has bias 0, and delta {smaller:.10g}, below the design's"
            f" {noise.delta(0.5):.10g}",
        ),
        decimals(item, "variance V^Q", "49.002167175291106", quantised.variance),
        statement(
            item,
            f"bias and variance are very close to 0 and to the variance of the noise: |bias|, ratio of variances"
            f" {ABOUT}",
            f"{abs(float(quantised.bias)):.2g}, {float(quantised.variance) / noise.variance(0):.9f}",
            little(abs(float(quantised.bias))) and about(float(quantised.variance), noise.variance(0)),
        ),
        decimals(item, "epsilon^Q", "0.498039387067656", quantised.epsilon),
        statement(
            item,
            f"epsilon^Q is slightly smaller than epsilon: epsilon over epsilon^Q {SLIGHTLY}",
            f"{0.5 / quantised.epsilon:.5f}",
            slightly(0.5, quantised.epsilon),
        ),
        statement(
            item,
            "epsilon^Q is below 0.5 because quantisation is not linear: the largest step of the noise before it, and"
            " epsilon^Q",
            f"{design_step:.9f} and {quantised.epsilon:.9f}",
            design_step >= 0.5 > quantised.epsilon,
            "gamma of the design guide is below epsilon/(2D-1), so the last step is gamma (2D-1) < epsilon before"
            " anything is quantised; quantisation makes it larger",
        ),
        decimals(item, "delta^Q", "9.9129974842e-5", quantised.delta),
        statement(
            item,
            f"delta^Q is only slightly larger than delta: delta^Q / delta - 1 {SLIGHTLY}",
            f"{float(quantised.delta) / noise.delta(0.5) - 1:.2g}",
            quantised.delta > noise.delta(0.5) and slightly(float(quantised.delta), noise.delta(0.5)),
        ),
    ]


PRINTED_BIAS = {8: "-0.04", 16: "-1.5e-4", 32: "-2.3e-9"}
PRINTED_ERROR = {8: "0.007", 16: "order 1e-4", 32: "order 1e-9"}
PRINTED_LAST = {8: "0.6", 16: "1.7", 32: "2.5"}


def experiments() -> list[Claim]:
    """Section 4.3: bias, variance error, and where full support ends."""
    item, claims = "Section 4.3", []
    for bits in KEYS:
        size, by_epsilon = f"KEYSIZE 2^{bits}", full(bits)
        every = [experiment(epsilon, bits) for epsilon in EPSILONS]
        constant = all(one.bias == Fraction(-SUPPORT, 1 << bits) for one in every)
        note = f"exactly -D/KEYSIZE at every epsilon, {size}"
        claims.append(decimals(item, f"bias, {size}", PRINTED_BIAS[bits], every[0].bias, note if constant else ""))
        worst = max(abs(one.variance_error) for one in by_epsilon.values())
        order = f"order 1e{math.floor(math.log10(worst))}"
        near = f"{worst:.3f}" if bits == 8 else order
        wide = max(abs(one.variance_error) for one in every)
        claims.append(
            Claim(
                item,
                f"largest normalised variance error with full support, {size}",
                PRINTED_ERROR[bits],
                near,
                near == PRINTED_ERROR[bits],
                f"it is {worst:.3g}; over all 25 designs {wide:.3g}, {size}",
            )
        )
        last = f"{float(max(by_epsilon)):.1f}"
        whole = ", that is for all" if bits == 32 else ""
        claims.append(
            Claim(
                item,
                f"largest epsilon with full support, {size}{whole}",
                PRINTED_LAST[bits],
                last,
                last == PRINTED_LAST[bits] and list(by_epsilon) == [e for e in EPSILONS if e <= max(by_epsilon)],
                kind="stated" if bits == 32 else "quoted",
            )
        )
    for bits in KEYS:
        tables = [certified(epsilon, bits) for epsilon in EPSILONS]
        claims.append(
            ours(
                item,
                f"designs that fit into Discreet's table with all steps kept and bias 0, KEYSIZE 2^{bits}",
                share([table is not None for table in tables]),
            )
        )
    return claims


def figure_4() -> list[Claim]:
    """Figure 4: epsilon^Q against epsilon."""
    item, claims = "Figure 4", []
    for bits, stated in (
        (8, "epsilon^Q > epsilon"),
        (16, "epsilon^Q > epsilon"),
        (32, f"epsilon^Q is very close to epsilon, or slightly lower {ABOUT}"),
    ):
        by_epsilon = full(bits)
        flags = [
            about(one.epsilon, float(epsilon)) if bits == 32 else one.epsilon > epsilon
            for epsilon, one in by_epsilon.items()
        ]
        distances = [one.epsilon / float(epsilon) - 1 for epsilon, one in by_epsilon.items()]
        span = f"epsilon^Q / epsilon - 1 is from {min(distances):.2g} to {max(distances):.2g}"
        claims.append(
            statement(
                item,
                f"{stated}, KEYSIZE 2^{bits}, epsilons with full support",
                share(flags),
                all(flags),
                f"{span}, KEYSIZE 2^{bits}",
            )
        )
    following = [
        bits for bits in KEYS if all(about(experiment(epsilon, bits).epsilon, float(epsilon)) for epsilon in EPSILONS)
    ]
    claims.append(_only(item, "epsilon", following))
    for bits in (16, 32):
        tables = {epsilon: certified(epsilon, bits) for epsilon in EPSILONS}
        kept = {epsilon: step(table.interior[0].weights) for epsilon, table in tables.items() if table is not None}
        flags = [value <= float(epsilon) for epsilon, value in kept.items()]
        claims.append(ours(item, f"Discreet's tables: largest step at most epsilon, KEYSIZE 2^{bits}", share(flags)))
    return claims


def figure_5() -> list[Claim]:
    """Figure 5: delta^Q against delta."""
    item, claims = "Figure 5", []
    deltas = {epsilon: design(epsilon).delta(epsilon) for epsilon in EPSILONS}
    gaps = {
        bits: {epsilon: float(experiment(epsilon, bits).delta) - deltas[epsilon] for epsilon in EPSILONS}
        for bits in KEYS
    }
    larger = [gap > 0 for gap in gaps[8].values()]
    claims.append(statement(item, "delta^Q > delta, KEYSIZE 2^8, all 25 epsilons", share(larger), all(larger)))
    for bits in (16, 32):
        ratios = {epsilon: 1 + gap / deltas[epsilon] for epsilon, gap in gaps[bits].items()}
        supported = max(ratios[epsilon] for epsilon in full(bits))
        whole = max(ratios.values())
        first = next((epsilon for epsilon, ratio in ratios.items() if ratio > 1.1), None)
        text = f"{supported:.5g} with full support" + (f", {whole:.4g} over all epsilons" if bits == 16 else "")
        note = (
            ""
            if first is None
            else "delta^Q - delta is at most 1/KEYSIZE = 1.53e-05, which a linear axis does not show; but delta is as"
            f" small from epsilon {float(first):g} on. The caption says it: only 2^32 follows delta"
        )
        claims.append(
            statement(
                item,
                f"delta^Q is almost identical to delta, KEYSIZE 2^{bits}: largest delta^Q / delta {ABOUT}",
                text,
                about(whole, 1),
                note,
            )
        )
    following = [
        bits
        for bits in KEYS
        if all(about(deltas[epsilon] + gap, deltas[epsilon]) for epsilon, gap in gaps[bits].items())
    ]
    claims.append(_only(item, "delta", following))
    exact = experiment(Fraction(9, 5), 16)
    claims.append(
        ours(
            item,
            "exact delta, delta^Q and delta at epsilon 1.8, KEYSIZE 2^16 (a weight is 0)",
            f"{exact.exact:.3g}, {float(exact.delta):.3g}, {deltas[Fraction(9, 5)]:.3g}",
        )
    )
    below = [
        float(table.guarantee.delta) <= deltas[epsilon]
        for epsilon in EPSILONS
        for bits in (16, 32)
        if (table := certified(epsilon, bits)) is not None
    ]
    claims.append(ours(item, "Discreet's tables of 16 and 32 bits: delta at most the design's", share(below)))
    return claims


def _only(item: str, measure: str, following: list[int]) -> Claim:
    """Judge the caption of Figure 4 or 5."""
    return statement(
        item,
        f"only KEYSIZE 2^32 follows {measure} closely across the entire range: sizes that do {ABOUT}",
        ", ".join(f"2^{bits}" for bits in following) or "none",
        following == [32],
    )


def _unequal(integers: tuple[int, ...]) -> int:
    half = len(integers) // 2
    return sum(a != b for a, b in zip(integers[:half], reversed(integers), strict=False))
