"""The plan of a release in words: what it promises, measures and costs. Nothing in it depends on the data."""

from fractions import Fraction

from discreet.exact import upper
from discreet.labels import OTHER, listed
from discreet.plan.guarantee import GROUP, method_of, why_no_promise
from discreet.plan.release_plan import ReleasePlan
from discreet.publish.noise_in_words import design_in_words


def guarantee_in_words(plan: ReleasePlan) -> str:
    """Return the guarantee of a release in one sentence."""
    unit = "one row" if plan.spec.unit.id is None else "one person"
    rows = plan.spec.unit.contributions
    if plan.promise is None:
        return f"none: {why_no_promise(plan.spec)}"
    with_rows = f" with up to {rows} rows" if rows > 1 else ""
    delta = upper(Fraction(repr(plan.promise.delta)))
    alone = ""
    if plan.spec.key == "fresh" and plan.spec.ledger is None:
        alone = "; for this release alone: each release with fresh keys, under any label, adds its own"
    return (
        f"epsilon = {plan.promise.epsilon}, delta = {delta} for {unit}{with_rows}, over everything that is published;"
        f" an upper bound{alone}"
    )


def rows_in_words(plan: ReleasePlan) -> str | None:
    """Return how several rows of one person were accounted for; None if a person has one row."""
    rows = plan.spec.unit.contributions
    if rows == 1:
        return None
    if method_of(rows) == GROUP:
        return f"up to {rows}, by group privacy: every row costs as much as a person, with the best split of epsilon"
    return f"up to {rows}, exactly: all ways to split the rows over cells are composed"


def summary(plan: ReleasePlan) -> dict[str, str]:
    """Return the guarantee, the noise and its reason, by name, in words. Nothing in it depends on the data."""
    rows, layout = rows_in_words(plan), plan.layout
    unit = "one row" if plan.spec.unit.id is None else "one person"
    groupings = "1 grouping" if len(layout.groupings) == 1 else f"{len(layout.groupings)} groupings"
    who = unit if plan.spec.unit.contributions == 1 else f"each row of {unit}"
    return {
        "guarantee": guarantee_in_words(plan),
        **({"rows of a person": rows} if rows is not None else {}),
        "tables": f"{len(layout.tables)}, with {groupings} in all: tables and margins",
        **_measured_in_words(plan),
        **_levels_in_words(plan),
        "cells": f"{plan.measured.size}; {who} is in {plan.touches} of them at most",
        "noise": "; ".join(map(design_in_words, plan.ptables)),
        "reason": plan.reason,
    }


def _levels_in_words(plan: ReleasePlan) -> dict[str, str]:
    """Return the leaves that are in no group of a level; nothing if there are none."""
    left = [
        f"{listed(leaves, 10)} of {name} {'is' if len(leaves) == 1 else 'are'} in no group of level {level}, and"
        f" {'counts' if len(leaves) == 1 else 'count'} as {OTHER}"
        for (name, level), leaves in plan.layout.in_no_group.items()
    ]
    left += [
        f"the filter of table {table} names groups of level {level}, and {listed(leaves, 10)} of {name}"
        f" {'is' if len(leaves) == 1 else 'are'} in none"
        for (table, name, level), leaves in plan.layout.outside_filters.items()
    ]
    return {"levels": "; ".join(left)} if left else {}


def _measured_in_words(plan: ReleasePlan) -> dict[str, str]:
    """Return how many groupings are measured; nothing if all are."""
    left = plan.measured.noise_of.count(None)
    if plan.why_published is not None:
        return {"measured": plan.why_published}
    if not left:
        return {}
    return {"measured": f"{len(plan.measured.groupings)} groupings; {left} are published from them by least squares"}
