"""Section 7.2 and section 8 on the Adult data, whose file the user gives."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.papers.claim import Claim
from discreet.papers.cormode2019.adult_data import TARGETS, Adult, read
from discreet.papers.cormode2019.claims_applications import model_claims
from discreet.papers.cormode2019.count_mechanisms import COLUMNS, WEAK, mass_beyond, matrix
from discreet.papers.cormode2019.figures_errors import ADULT_SIZES, figure_10
from discreet.papers.cormode2019.statements import every, judged, listed, measured, ours
from discreet.papers.figure import Figure
from discreet.papers.register import ClaimFunction
from discreet.papers.wording import LITTLE, little

SIZES = range(2, 18)
"""Below n = 18 = 2 alpha/(1-alpha): from there GM is weakly honest, and never worse than UM."""

ALPHA = "0.9"


def with_adult(path: Path) -> tuple[tuple[ClaimFunction, ...], tuple[Figure, ...]]:
    """Return the claims and the figure that need the Adult data.

    Raises
    ------
    InputError
        The file is not the Adult data, or has too few people.
    """
    adult, least = read(path), max(ADULT_SIZES)
    if len(adult.people) < least:
        raise InputError(f"{path} has {len(adult.people)} people, too few for a group of {least}; give the whole file")
    claims = (lambda: section_7_2(adult), lambda: section_8(adult))
    return claims, (figure_10(adult),)


def section_7_2(adult: Adult) -> Sequence[Claim]:
    """Judge section 7.2 and Figure 10, alpha = .9, groups of 2 to 17."""
    claims: list[Claim] = [
        measured("Section 7.2", "people in the file, in thousands", 32, len(adult.people) // 1000, 0, "another edition")
    ]
    for attribute in TARGETS:
        rates = {
            name: np.array([mass_beyond(matrix(name, n, ALPHA), 0, adult.counts(attribute, n)) for n in SIZES])
            for name in ("GM", WEAK, COLUMNS, "EM", "UM")
        }
        worse = rates["GM"] > rates["UM"]
        what = f"{attribute}, n = 2..17: sizes at which GM errs more often than UM"
        note = f"at n = {_sizes(~worse)} GM errs less often"
        claims.append(judged("Figure 10", what, "all", every(worse), bool(worse.all()), note))
        track = float(np.abs(rates[WEAK] - rates["UM"]).max())
        what = f"{attribute}, n = 2..17: largest distance of WM (WH) from UM {LITTLE}"
        claims.append(judged("Figure 10", what, "tracks UM closely", track, little(track), "it does not"))
        best = rates["EM"] <= np.min([rates[name] for name in ("GM", WEAK, "UM")], axis=0)
        what = f"{attribute}, n = 2..17: sizes at which EM errs less often than GM, WM (WH) and UM"
        claims.append(judged("Figure 10", what, "all", every(best), bool(best.all()), f"not at n = {_sizes(~best)}"))
        less = rates[COLUMNS] < rates["EM"]
        what = f"{attribute}: sizes at which WM (WH, RM, CM) errs less often than EM"
        claims.append(ours("Figure 10", what, _sizes(less) or "none"))
    ends = {attribute: [float(adult.counts(attribute, n)[[0, n]].sum()) for n in (4, 8)] for attribute in TARGETS}
    most = max(max(each) for each in ends.values())
    shares = "; ".join(listed(each, 3) for each in ends.values())
    what = f"share of groups of 4, of 8 with count 0 or n: {', '.join(TARGETS)} {LITTLE}"
    claims.append(
        judged("Section 7.2", what, "rare", shares, little(most), f"up to {most:.3f} of the groups have them")
    )
    apart = {
        alpha: max(
            abs(mass_beyond(matrix("EM", 8, alpha), 0, counts) - mass_beyond(matrix(name, 8, alpha), 0, counts))
            for name, counts in product((WEAK, COLUMNS), [adult.counts(attribute, 8) for attribute in TARGETS])
        )
        for alpha in ("0.9", "0.99")
    }
    what = f"groups of 8: largest difference of EM and WM, alpha = .9, .99 {LITTLE}"
    agrees = apart["0.99"] < apart["0.9"] and little(apart["0.99"])
    claims.append(
        judged("Section 7.2", what, "not much for higher alpha", listed(apart.values()), agrees, "it is much")
    )
    middle = [float(np.arange(9) @ adult.counts(attribute, 8)) for attribute in TARGETS]
    return [*claims, ours("Section 7.2", f"groups of 8: mean count of {', '.join(TARGETS)}", listed(middle, 2))]


def _sizes(chosen: npt.NDArray[np.bool_]) -> str:
    return ", ".join(str(n) for n, one in zip(SIZES, chosen, strict=True) if one)


def section_8(adult: Adult) -> Sequence[Claim]:
    """Judge section 8 on the Adult data."""
    return model_claims("Section 8, applications", "Adult", adult.people)
