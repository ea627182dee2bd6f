"""Claims about Kadam 2024's section on differences 1..mu: Lemma 4, Theorem 3, Corollary 2, and Figures 3 and 4."""

import math

import numpy as np

from discreet.papers.claim import Claim
from discreet.papers.kadam2024.bounded_difference import (
    Section,
    corollary_2,
    kinks,
    least_delta,
    lemma_4,
    optimum,
    section_epsilon,
    sections,
    theorem_3_first,
)
from discreet.papers.kadam2024.claim_texts import SAME, comparison, formula, listed, promise, row, statement, words
from discreet.papers.kadam2024.one_sided import definition_2, one_sided_delta, program_13, pure, two_sided
from discreet.papers.kadam2024.rivals import distribution, modulo

CASES = ((9, 4, 1.0), (15, 5, 1.0), (20, 5, 1.0), (24, 6, 0.5))
"""n, mu and epsilon with b + r < mu, as Theorem 3 asks."""

BOUNDED = (1, 2, 3)


def _at(section: Section) -> str:
    return f"n {section.n}, mu {section.mu}, epsilon {section.epsilon:g}, h {section.h}, j {section.j}"


def _differences(section: Section) -> range:
    return range(1, section.mu + 1)


def lemma_4_claims() -> list[Claim]:
    """(26)-(29)."""
    claims = []
    for n, mu, epsilon in ((8, 3, 1.5), (10, 4, 1.0)):
        noise, given = lemma_4(n, mu, epsilon), tuple(range(1, mu + 1))
        at = f"n {n}, differences 1 to {mu}, epsilon {epsilon:g}"
        best = float(definition_2(n, given, epsilon, 0.0)[0])
        claims.append(formula("Lemma 4", f"largest f(0), one-sided, {at}", float(noise[0]), best))
        gap = float(np.abs(noise - pure((n + 1,), given, epsilon)).max())
        claims.append(
            statement(
                "Lemma 4",
                f"(28)-(29) are the noise by number of steps: largest gap, {at}",
                gap,
                gap < SAME,
                kind="formula",
            )
        )
        two = float(distribution(modulo(n + 1, epsilon, neighbours=given))[0])
        note = f"two-sided, the largest f(0) is {two:.4f}"
        true = two_sided(noise, given).delta(epsilon)
        claims.append(promise("Lemma 4", f"its delta, {at}", 0.0, true, note, kind="ours"))
    return claims


def flat_regions() -> list[Claim]:
    """(30)-(37) and Figures 3(a) and 4."""
    claims = []
    for n, mu, epsilon in CASES:
        known = sections(n, mu, epsilon)
        at = f"n {n}, mu {mu}, epsilon {epsilon:g}"
        claims.append(_count_of_regions(n, mu, epsilon))
        total = {sum(section.flat_lengths()) for section in known}
        what = f"the lengths of every flat region add up to n + 1, {at}"
        claims.append(statement("Equations (30)-(33)", what, listed(total), total == {n + 1}, kind="formula"))
        for section in known:
            claims += _flat_region(section)
        order = [end for section in known for end in (section.low(), section.high())]
        note = (
            "alpha + ... + alpha^(b-1) > 1: the last regions would begin beyond delta = f(0), where f(0) = delta is"
            " better"
        )
        follow = bool((np.diff(order) > -SAME).all())
        claims.append(
            statement(
                "Equations (37)",
                f"the flat regions follow each other: smallest step, {at}",
                float(np.diff(order).min()),
                follow,
                "" if follow else note,
                kind="formula",
            )
        )
    return claims


def _count_of_regions(n: int, mu: int, epsilon: float) -> Claim:
    """Count the flat pieces of the largest f(0) under (13), without the first."""
    deltas = kinks(n, mu, epsilon)
    firsts = np.array([optimum(n, mu, epsilon, delta)[0] for delta in deltas])
    flat = np.diff(firsts) < SAME
    pieces = int((flat & ~np.append(False, flat[:-1])).sum()) - 1
    b = n // mu
    note = (
        "" if pieces == b * (b - 1) // 2 else "(13) has other pieces, as the regions of Theorem 3 are not all optimal"
    )
    what = f"b (b - 1) / 2 flat regions after the first, n {n}, mu {mu}, epsilon {epsilon:g}: those of (13)"
    return words("Figure 4", what, (b * (b - 1) // 2,), (pieces,), note, "formula")


def _flat_region(section: Section) -> list[Claim]:
    noise, at = section.flat(), _at(section)
    missing = section.first_as_printed() / section.first()
    note = (
        ""
        if section.j < section.h
        else f"for j = h (mu - 1) alpha^(b+1) is left out: the masses add up to {missing:.4f}"
    )
    delta = one_sided_delta(noise, _differences(section), section.epsilon)
    true = two_sided(noise, _differences(section)).delta(section.epsilon)
    beyond = "PRIVACY: beyond its own delta even one-sided, as another level exceeds (b >= 4 and j < h - 1); "
    kept = delta < section.low() + SAME
    return [
        formula("Equations (34)-(36)", f"f(0), {at}", section.first_as_printed(), section.first(), note),
        formula(
            "Equations (37)",
            f"delta of the flat noise, one-sided, {at}",
            section.low(),
            delta,
            f"{'' if kept else beyond}two-sided {true:.4f}",
        ),
    ]


def linear_regions() -> list[Claim]:
    """(38), (39) and Figure 3(b)."""
    claims = []
    for n, mu, epsilon in CASES[:3]:
        for section in sections(n, mu, epsilon):
            delta = (section.before.high() + section.low()) / 2
            printed, right = sum(section.linear_lengths(as_printed=True)), sum(section.linear_lengths())
            note = (
                ""
                if printed == n + 1
                else f"group b + 1 = {section.b + 1} has no length: the range has to end at b + 1"
            )
            claims.append(
                Claim(
                    "Equation (38)",
                    f"lengths add up to n + 1, {_at(section)}",
                    printed,
                    right,
                    printed == n + 1,
                    note,
                    "formula",
                )
            )
            noise = section.linear(delta)
            actual = one_sided_delta(noise, _differences(section), epsilon)
            true = two_sided(noise, _differences(section)).delta(epsilon)
            kept = actual < delta + SAME
            note = f"two-sided {true:.4f}"
            if not kept:
                note = (
                    "PRIVACY: beyond its own delta even one-sided: the single value exceeds too, and so do levels"
                    f" behind it; {note}"
                )
            claims.append(
                formula("Equation (39)", f"delta, one-sided, {_at(section)}, delta {delta:.4f}", delta, actual, note)
            )
    section = Section(15, 5, 1.0, 2, 2)
    delta = (section.before.high() + section.low()) / 2
    steps = len(_levels(section.flat())) - 1, len(_levels(section.linear(delta))) - 1
    return [
        *claims,
        words(
            "Figure 3(a)",
            "steps after the first in a flat region, b + 1, n 15, mu 5",
            (section.b + 1,),
            (steps[0],),
            kind="formula",
        ),
        words(
            "Figure 3(b)",
            "steps after the first in a linear region, b + 2, n 15, mu 5",
            (section.b + 2,),
            (steps[1],),
            kind="formula",
        ),
    ]


def _levels(noise: np.ndarray) -> list[float]:
    """Return the different values of some noise."""
    return sorted(set(np.round(noise, 10).tolist()), reverse=True)


def optimality() -> list[Claim]:
    """What Theorem 3 says is the largest f(0): under (13), and under Definition 2; (40)-(41)."""
    claims = []
    alpha = math.exp(-1.5)
    better = np.array([1, alpha, alpha, alpha, 0]) / (1 + 3 * alpha)
    delta = one_sided_delta(better, BOUNDED, 1.5)
    note = f"(c, c alpha, c alpha, c alpha, 0) has delta {delta:.4f} for each difference, one-sided"
    what = "largest f(0) under Definition 2, n 4, mu 3, epsilon 1.5, delta 0.15"
    claims.append(
        formula(
            "Theorem 3", what, theorem_3_first(4, 3, 1.5, 0.15), float(definition_2(4, BOUNDED, 1.5, 0.15)[0]), note
        )
    )
    for n, mu, epsilon, delta in ((15, 5, 1.0, 0.1), (15, 5, 1.0, 0.14), (20, 5, 1.0, 0.1), (24, 6, 0.5, 0.13)):
        given = tuple(range(1, mu + 1))
        stated, best = theorem_3_first(n, mu, epsilon, delta), float(program_13(n, given, epsilon, delta)[0])
        note = "" if abs(stated - best) < SAME else _why(n, mu, epsilon, delta)
        what = f"largest f(0) under (13), n {n}, mu {mu}, epsilon {epsilon:g}, delta {delta:g}"
        claims.append(formula("Theorem 3", what, stated, best, note))
    for n, mu, epsilon, delta in ((8, 3, 1.5, 0.14), (12, 4, 0.5, 0.15), (20, 5, 1.0, 0.1), (24, 6, 0.5, 0.13)):
        given = tuple(range(1, mu + 1))
        best = float(program_13(n, given, epsilon, delta)[0])
        ours = float(optimum(n, mu, epsilon, delta)[0])
        at = f"n {n}, mu {mu}, epsilon {epsilon:g}, delta {delta:g}"
        what = f"closed form max_S min(f_S, delta / xi_S) beside the program (13): f(0), {at}"
        claims.append(Claim("Theorem 3", what, best, ours, abs(best - ours) < SAME, "", "ours"))
    n, delta = 15, 0.5
    noise = np.array([delta] + [(1 - delta) / n] * n)
    kept = one_sided_delta(noise, range(1, 6), 1.0)
    best = float(program_13(n, tuple(range(1, 6)), 1.0, delta)[0])
    true = two_sided(noise, range(1, 6)).delta(1.0)
    at = "n 15, mu 5, epsilon 1, delta 0.5"
    claims.append(formula("Equations (40)-(41)", f"largest f(0) under (13), {at}", delta, best))
    claims.append(
        formula("Equations (40)-(41)", f"delta of the noise, one-sided, {at}", delta, kept, f"two-sided {true:.4f}")
    )
    note = "outside Theorem 3, which asks for b + r < mu; the last column has one level more than the theorem knows"
    claims.append(comparison("Theorem 3", "b + r of Table 1, n 8, mu 3", float(sum(divmod(8, 3))), note))
    return claims


def _why(n: int, mu: int, epsilon: float, delta: float) -> str:
    """Say why Theorem 3 is not the optimum."""
    if theorem_3_first(n, mu, epsilon, delta) < delta:
        return "f(0) = delta is better: delta of the last regions is beyond f(0)"
    section = next(section for section in sections(n, mu, epsilon) if delta <= section.high())
    actual = one_sided_delta(section.flat(), _differences(section), epsilon)
    return f"the flat noise ({section.h}, {section.j}) needs delta {actual:.4f}"


def corollary_2_claims() -> list[Claim]:
    """(42) and (43)."""
    claims, n, mu, rho = [], 20, 5, 0.7
    for section in sections(n, mu, 1.0):
        stated, right = (section_epsilon(n, mu, section.h, section.j, rho, printed) for printed in (True, False))
        note = (
            "" if abs(stated - right) < SAME else "(35) and (36) are wrong for j = h; with the sum in (34) it is right"
        )
        what = f"epsilon at which the flat noise has error rate 0.7, n 20, mu 5, h {section.h}, j {section.j}"
        claims.append(formula("Equation (43)", what, stated, right, note))
    for epsilon in (0.5, 1.096, 1.105, 1.11, 1.2):
        stated, least = corollary_2(n, mu, epsilon, rho), least_delta(n, mu, epsilon, rho)
        true = modulo(n + 1, epsilon, neighbours=tuple(range(1, mu + 1)), distortion=rho).delta(epsilon)
        note = f"two-sided, the least delta that is true is {true:.4f}"
        if stated < least - SAME:
            note = f"PRIVACY: the flat noise exceeds its own delta here, as for (39); {note}"
        what = f"least delta under (13), one-sided, n 20, mu 5, epsilon {epsilon:g}, error rate 0.7"
        claims.append(formula("Corollary 2", what, stated, least, note))
    return claims


def limits() -> list[Claim]:
    """(44)-(54): n to infinity."""
    claims = []
    for mu, items in ((1, ("Equations (44)-(45)", "")), (3, ("Equations (48)-(50)", "Equations (46)-(47)"))):
        for epsilon in (0.3, 1.0, 2.0):
            alpha = math.exp(-epsilon)
            mass = 1 + mu * alpha / (1 - alpha)
            rate, two = 1 - 1 / mass, 1 - 1 / (2 * mass - 1)
            far = 1 - float(lemma_4(400 * mu, mu, epsilon)[0])
            stated = 0.5 if epsilon < math.log(1 + mu) else rate
            at = (
                f"differences 1 to {mu}, epsilon {epsilon:g}, one-sided"
                if mu > 1
                else f"one difference, epsilon {epsilon:g}, one-sided"
            )
            capped = f"the cap of 0.5 has no ground: the masses of that noise add up to {0.5 * mass:.4f}; "
            note = f"{capped if stated != rate else ''}two-sided {two:.4f}"
            claims.append(formula(items[0], f"error rate as n grows, {at}", stated, far, note))
            if items[1]:
                claims.append(formula(items[1], f"error rate as n grows, {at}", rate, far, f"two-sided {two:.4f}"))
    alpha, i = math.exp(-0.75), 6
    flat = 1 - alpha, 1 - alpha ** (i + 1)
    noise = float(1 / math.fsum(alpha**h for h in range(i + 1)))
    claims.append(
        formula(
            "Equation (51)", "largest f(0) in region i = 6 counted from delta 1, epsilon 0.75", flat[0] / flat[1], noise
        )
    )
    sizes = [(math.exp(0.75) - 1) * (1 - alpha) / (1 - alpha ** (k + 1)) for k in (10, 40)]
    linear = [(1 - alpha) / alpha * (1 / (1 - alpha**k) - 1 / (1 - alpha ** (k + 1))) for k in (10, 40)]
    what = "length of the regions over e^(-i epsilon), i 10 and 40, epsilon 0.75: flat; linear"
    note = "the flat regions shrink like e^(-i epsilon), not like o(e^(-i epsilon)); the linear ones do"
    claims.append(comparison("Equation (51)", what, f"{row(sizes)}; {row(linear)}", note))
    for c, j in ((1, 1), (1, 3), (2, 2)):
        right, printed = limit_53(7, 1.0, c, j)
        note = "the limit of (36) is 1 + alpha^(c+j+1) - alpha^(c+1) / (1 - alpha)"
        claims.append(formula("Equations (52)-(53)", f"f(0), mu 7, epsilon 1, c {c}, j {j}", printed, right, note))
    right, printed = limit_53(7, 1.0, 60, 1)
    pure_first = 1 / (1 + 7 * math.exp(-1) / (1 - math.exp(-1)))
    claims.append(
        formula("Equation (54)", "as c grows, (53) becomes (46): f(0) at c 60, mu 7, epsilon 1", printed, pure_first)
    )
    condition = (
        "b + r < mu cannot hold as n grows with mu fixed: Theorem 3, whose limit this is, does not apply for b >= mu"
    )
    claims.append(comparison("Equations (52)-(53)", "b + r at n 700, mu 7", float(sum(divmod(700, 7))), condition))
    stays = float(optimum(1200, 400, 1.0, 0.6)[0])
    note = "f(0) = delta for every n: the other masses go to 0, and still add up to 1 - delta"
    claims.append(
        formula(
            "Limit of the last segment", "f(0) as n grows, mu n / 3, epsilon 1, delta 0.6: n 1200", 1.0, stays, note
        )
    )
    return claims


def limit_53(mu: int, epsilon: float, c: int, j: int) -> tuple[float, float]:
    """Return f(0) of the flat noises as n grows, with c = b - h: the limit of the sum in (34), and (53) as printed."""
    alpha = math.exp(-epsilon)
    whole = 1 + mu * alpha / (1 - alpha)
    right = whole - alpha ** (c + 1) / (1 - alpha) + alpha ** (c + j + 1)
    return 1 / right, 1 / (whole - alpha ** (c + j + 1) / (1 - alpha))


def general_case() -> list[Claim]:
    """The end of the proof of Theorem 3: b + r >= mu, which the paper leaves out."""
    claims = []
    for n, mu, epsilon in ((8, 3, 1.0), (13, 4, 0.5), (10, 4, 1.0), (9, 3, 2.0)):
        given = tuple(range(1, mu + 1))
        gaps = [abs(optimum(n, mu, epsilon, d)[0] - program_13(n, given, epsilon, d)[0]) for d in (0.03, 0.1, 0.25)]
        b, r = divmod(n, mu)
        what = (
            f"the closed form of `optimum` beside (13): largest gap of f(0), n {n}, mu {mu}, epsilon {epsilon:g}, 3"
            " deltas"
        )
        note = f"b + r = {b + r}, mu = {mu}: the case that the paper has no formula for"
        claims.append(
            Claim(
                "Appendix, the case b + r >= mu",
                what,
                0.0,
                float(round(max(gaps), 7)),
                bool(max(gaps) < 1e-7),
                note,
                "ours",
            )
        )
    return claims
