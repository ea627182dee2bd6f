"""A plan is frozen with its version label: reused, extended around what was measured, or refused."""

import json
import multiprocessing
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import discreet as dc
from discreet.account.composition import compose
from discreet.certify.folder import check
from discreet.errors import (
    CertificateError,
    ExceededBudgetError,
    LedgerError,
    ReleaseError,
    SecretError,
    SpecError,
    TargetError,
)
from discreet.measure import keys, secret_memory, secrets
from discreet.publish.verify_folder import verify_folder
from discreet.release import plan, run
from discreet.release.release_value import Release
from tests.publish.pending.kept import nothing_is_drawn, refuse
from tests.town import folder, ledger, settle, spent

PLACES = {"column": "side", "categories": ["n", "s"]}
MORE = {"name": "more", "dimensions": ["side", "sex"], "margins": "all"}


@pytest.fixture
def spec(tmp_path: Path) -> dict[str, Any]:
    """A planned release of sex by age, with a secret and without a ledger. The dimension side is not used yet."""
    town = settle(tmp_path)
    del town["design"]
    return {
        **town,
        "unit": {},
        "dimensions": {**town["dimensions"], "side": PLACES},
        "measure": "plan",
        "budget": {"epsilon": 1, "delta": "1e-6"},
    }


@pytest.fixture
def more(spec: dict[str, Any]) -> dict[str, Any]:
    """The same with one more table, and twice the budget."""
    return {**spec, "tables": [*spec["tables"], MORE], "budget": {"epsilon": 2, "delta": "2e-6"}}


def endow(place: Path) -> str:
    """Open a ledger whose unit reveals the truth as often as the noise of a plan, so that it can pay for plans."""
    unit = dc.design.gaussian(sigma2=400, support=80).certify("0.5")
    secret = secrets.read_secret(place / "secret.key")
    dc.account.Ledger.open(place / "town.ledger", unit=unit, epsilon=20, delta="0.01", secret=secret)
    return str(place / "town.ledger")


@pytest.fixture
def paid_spec(spec: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    return {**spec, "ledger": endow(tmp_path)}


@contextmanager
def dying_at(name: str) -> Iterator[None]:
    """Let a release fail at a step."""
    with mock.patch(name, side_effect=OSError("the machine stops")), pytest.raises(OSError, match="the machine stops"):
        yield


def numbers(release: Release) -> dict[str, list[int]]:
    """Return the measurements of every measured grouping."""
    pairs = zip(release.plan.layout.groupings, release.measurements, strict=True)
    return {grouping.name: values.ravel().tolist() for grouping, values in pairs if values is not None}


def files_of(path: Path) -> dict[str, bytes]:
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def earlier(release: Release) -> dict[tuple[str, str | None], bool]:
    """Return for every measured grouping of a folder whether an earlier release measured it."""
    entries = release.manifest["spec"]["measure"]
    return {(entry["table"], str(entry["margin"])): entry.get("earlier", False) for entry in entries}


def test_the_same_tables_make_the_same_folder_whatever_is_wanted(spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "one")
    run({**spec, "accuracy": {"aim": "cells"}}, tmp_path / "two")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    reordered = {**spec, "tables": [{**spec["tables"][0], "dimensions": ["age", "sex"]}]}
    turned = numbers(run(reordered, tmp_path / "three"))
    assert sorted(turned["age by sex"]) == sorted(numbers(run(spec))["sex by age"])


@pytest.mark.parametrize("paid", [False, True])
def test_a_larger_budget_buys_nothing_and_the_plan_says_so(spec: dict[str, Any], tmp_path: Path, paid: bool) -> None:
    spec = {**spec, "ledger": endow(tmp_path)} if paid else spec
    first = run(spec, tmp_path / "one")
    again = run(spec, tmp_path / "again")
    assert "epsilon 1 and delta 1e-6" in again.plan.reason
    assert "label, and its cost" not in again.plan.reason
    larger = {**spec, "budget": {"epsilon": 5, "delta": "1e-5"}}
    for number, each in enumerate((larger, {**larger, "accuracy": {"aim": "cells"}})):
        second = run(each, tmp_path / f"larger{number}")
        assert numbers(second) == numbers(first)
        words = (
            "kept.*epsilon 1 and delta 1e-6; the budget of epsilon 5 and delta 1e-5 (and accuracy )?change.*new version"
        )
        for reason in (second.plan.reason, plan(each).reason):
            assert re.search(words, reason)
            assert ("accuracy" in reason) == (number == 1)
    assert len({*ledger(tmp_path).plans("v1")} if paid else secret_memory_plans(tmp_path)) == 1


def secret_memory_plans(tmp_path: Path) -> list[Any]:
    with closing(sqlite3.connect(tmp_path / "secret.key.memory")) as connection:
        return connection.execute("SELECT text FROM plans").fetchall()


def test_a_plan_with_another_aim_would_be_another_plan(spec: dict[str, Any]) -> None:
    """The tests of reuse would show nothing if the planner returned one plan for all aims."""
    tables = [{"name": "t", "dimensions": ["sex", "age", "side"], "margins": "all"}]
    specs = [{**spec, "tables": tables, "accuracy": {"aim": aim}} for aim in ("cells", "worst")]
    first, second = (plan(each).frozen.measurements for each in specs)
    assert first != second


def test_a_later_release_keeps_what_was_measured_and_promises_both(
    spec: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    first, second = run(spec, tmp_path / "one"), run(more, tmp_path / "two")
    old, new = numbers(first), numbers(second)
    assert {name: new[name] for name in old} == old
    assert len(new) > len(old)
    assert sum(earlier(second).values()) == len(old)
    assert not any(earlier(first).values())
    assert first.promise is not None
    assert second.promise is not None
    assert second.promise.epsilon == "2"
    assert second.promise.delta <= 2e-6
    tables = {ptable.table_digest for ptable in second.plan.ptables}
    assert {ptable.table_digest for ptable in first.plan.ptables} <= tables
    (touches,) = second.plan.exposure.by_table  # everyone is in one cell of each measured grouping
    assert sum(touches) == len(new)
    together = compose(list(zip(second.plan.ptables, touches, strict=True))).delta(2.0)
    assert second.promise.delta == pytest.approx(together, rel=1e-5)
    for name in ("one", "two"):
        verify_folder(tmp_path / name)
        report = check(tmp_path / name)
        assert not report.failures
        assert any("earlier release" in line for line in report.stated) == (name == "two")
    manifest = json.loads((tmp_path / "two" / "manifest.json").read_text())
    for wrong in (False, "yes"):
        manifest["spec"]["measure"][0]["earlier"] = wrong
        (tmp_path / "two" / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n")
        assert any("measure" in line for line in check(tmp_path / "two").failures)
        with pytest.raises(CertificateError):
            verify_folder(tmp_path / "two")
    page = (tmp_path / "two" / "report.html").read_text()
    assert "earlier release" in page
    assert "earlier release" not in (tmp_path / "one" / "report.html").read_text()


def test_both_releases_can_be_made_again_byte_for_byte(
    spec: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    for each, name in ((spec, "one"), (more, "two"), (spec, "one again"), (more, "two again")):
        run(each, tmp_path / name)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "one again")
    assert files_of(tmp_path / "two") == files_of(tmp_path / "two again")


def test_a_plan_without_the_earlier_tables_is_refused(
    spec: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    run(spec, tmp_path / "one")
    with pytest.raises(ReleaseError, match=r"'v1' were also measured 'sex by age'.*Publish these tables too"):
        run({**more, "tables": [MORE]}, tmp_path / "two")
    run({**more, "tables": [MORE], "version": "v2"}, tmp_path / "another year")


@pytest.mark.parametrize("paid", [False, True])
def test_a_list_says_what_was_measured_earlier_only_if_it_was(
    spec: dict[str, Any], more: dict[str, Any], tmp_path: Path, paid: bool
) -> None:
    """The mark lets folder and report say that the promise covers an earlier release."""
    account = {"ledger": endow(tmp_path)} if paid else {}
    spec, more = {**spec, **account}, {**more, **account}
    run(spec, tmp_path / "one")
    second = run(more, tmp_path / "two")
    listed = {**more, "measure": second.manifest["spec"]["measure"]}
    assert any(earlier(second).values())
    assert numbers(run(listed, tmp_path / "again")) == numbers(second)
    some = [entry for entry in listed["measure"] if entry.get("earlier")] + [{"table": "more", "earlier": True}]
    design = {"name": "geometric", "epsilon": "0.01"}
    for change in (
        {"version": "v2"},
        {"secret": None, "key": "fresh", "ledger": None},
        {"key": "fresh"},
        {"measure": some, "design": design},
    ):
        with nothing_is_drawn(), pytest.raises(SpecError, match=r"earlier.*Leave earlier out, or take measure: plan"):
            run({**listed, **change}, tmp_path / "three")
    with pytest.raises(SpecError, match="earlier"):
        plan({**listed, "version": "v2"})


def test_another_label_shares_nothing(spec: dict[str, Any], tmp_path: Path) -> None:
    first = run(spec, tmp_path / "one")
    second = run({**spec, "version": "v2"}, tmp_path / "two")
    assert second.plan.frozen.measurements == first.plan.frozen.measurements
    assert numbers(second) != numbers(first)
    assert not any(earlier(second).values())


def test_a_budget_that_is_used_up_is_refused_with_what_is_possible(
    spec: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    run(spec, tmp_path / "one")
    with pytest.raises(ReleaseError, match=r"nothing is left for 'side by sex'.*Possible with this budget:.*larger"):
        run({**more, "budget": spec["budget"]}, tmp_path / "two")
    with pytest.raises(ExceededBudgetError, match="at least the budget of the earlier release"):
        run({**spec, "budget": {"epsilon": "0.5", "delta": "1e-6"}}, tmp_path / "two")
    run(more, tmp_path / "two")


def test_what_was_measured_suffices_for_its_own_margins(spec: dict[str, Any], tmp_path: Path) -> None:
    """More margins of a measured table need no new draw, so they fit into a budget that is used up."""
    narrow = {**spec, "tables": [{**spec["tables"][0], "margins": "none"}]}
    first, second = run(narrow, tmp_path / "one"), run(spec, tmp_path / "two")
    assert numbers(first) == numbers(second)
    assert all(earlier(second).values())
    verify_folder(tmp_path / "two")


@pytest.mark.parametrize(
    "change",
    [
        {"measure": "published"},
        {"measure": "published", "design": {"name": "geometric", "epsilon": "0.1"}},
        {"measure": [{"table": "t", "design": {"name": "geometric", "epsilon": "0.6"}}]},
        {"measure": "published", "budget": {"epsilon": "0.9", "delta": "1e-6"}},
        {"key": "fresh"},
    ],
)
def test_a_second_draw_of_a_cell_with_other_noise_is_refused(
    spec: dict[str, Any], tmp_path: Path, change: dict[str, Any]
) -> None:
    """Counterexample: two draws of epsilon 1 each state epsilon 1, and cost 2."""
    run(spec, tmp_path / "one")
    kept = secret_memory_rows(tmp_path)
    with (
        nothing_is_drawn(),
        pytest.raises(ReleaseError, match=r"'v1'.*(other noise|fresh keys).*new version label"),
    ):
        run({**spec, **change}, tmp_path / "two")
    assert secret_memory_rows(tmp_path) == kept
    assert not (tmp_path / "two").exists()


def secret_memory_rows(tmp_path: Path) -> list[Any]:
    with closing(sqlite3.connect(tmp_path / "secret.key.memory")) as connection:
        parts = [query for query, _ in secret_memory.PARTS.values()]
        return [connection.execute(query).fetchall() for query in parts]


def test_a_design_without_a_plan_is_frozen_too(spec: dict[str, Any], more: dict[str, Any], tmp_path: Path) -> None:
    published = {**spec, "measure": "published", "design": {"name": "geometric", "epsilon": "0.25"}}
    first = run(published, tmp_path / "one")
    wider = {**published, "tables": more["tables"], "budget": more["budget"]}
    assert numbers(run(wider, tmp_path / "two"))["sex by age"] == numbers(first)["sex by age"]
    with pytest.raises(ReleaseError, match=r"'sex by age' \(geometric, epsilon 0.25 a cell\)"):
        run({**published, "design": {"name": "geometric", "epsilon": "0.2"}}, tmp_path / "three")
    planned = run(more, tmp_path / "four")  # the same tables as the release two
    assert numbers(planned) == numbers(run(wider, tmp_path / "five"))


def test_a_listed_plan_may_give_a_shared_cell_a_second_table_if_it_measures_both(
    spec: dict[str, Any], tmp_path: Path
) -> None:
    """The cell `_other` is a cell of both levels; the promise of the second list covers both draws."""
    one, two = ({"name": "geometric", "epsilon": epsilon} for epsilon in ("0.25", "0.125"))
    dimensions = {
        **spec["dimensions"],
        "sex": {**spec["dimensions"]["sex"], "levels": {"all": {"known": ["f", "m"]}}},
    }
    tables = [
        {"name": "t", "dimensions": ["sex"]},
        {"name": "u", "dimensions": [{"dimension": "sex", "level": "all"}]},
    ]
    base = {**spec, "dimensions": dimensions}
    first = run({**base, "tables": tables[:1], "measure": [{"table": "t", "design": one}]}, tmp_path / "one")
    with pytest.raises(ReleaseError, match="one cell of this release"):
        run({**base, "tables": tables[1:], "measure": [{"table": "u", "design": two}]}, tmp_path / "two")
    both = [{"table": "t", "design": one}, {"table": "u", "design": two}]
    second = run({**base, "tables": tables, "measure": both}, tmp_path / "two")
    assert second.touches == 2
    assert second.measurements[0].tolist() == first.measurements[0].tolist()


def test_a_changed_codebook_makes_other_cells_and_its_plan_is_refused(spec: dict[str, Any], tmp_path: Path) -> None:
    run(spec, tmp_path / "one")
    age = {"column": "age", "ranges": {"child": [0, 18], "adult": [18, 40]}}
    changed = {**spec, "dimensions": {**spec["dimensions"], "age": age}, "budget": {"epsilon": 3, "delta": "3e-6"}}
    with pytest.raises(ReleaseError, match="with the same categories"):
        run(changed, tmp_path / "two")


def test_with_an_id_another_dimension_makes_other_cells_and_its_plan_is_refused(
    spec: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    run({**spec, "unit": {"id": "id"}}, tmp_path / "one")
    with pytest.raises(ReleaseError, match="another rule for the rows of a person"):
        run({**more, "unit": {"id": "id"}}, tmp_path / "two")


@pytest.mark.parametrize("key", ["query", "fresh"])
def test_a_failed_draw_decides_whatever_is_wanted_then(spec: dict[str, Any], tmp_path: Path, key: str) -> None:
    spec = {**spec, "key": key, "tables": [{"name": "t", "dimensions": ["sex", "age", "side"], "margins": "all"}]}
    kept = refuse(spec, tmp_path / "out")["measurements"]
    other = {**spec, "accuracy": {"aim": "cells"}}
    (tmp_path / "elsewhere").mkdir()
    with nothing_is_drawn():
        release = run(other, tmp_path / "elsewhere" / "out")
    assert release.resumed == tmp_path / "out.unpublished.json"
    assert sorted(value for values in numbers(release).values() for value in values) == sorted(kept)


def test_a_failed_draw_is_not_left_out_by_a_release_of_fewer_tables(
    spec: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    refuse(more, tmp_path / "out")
    with pytest.raises(ReleaseError, match="were also measured"):
        run(spec, tmp_path / "two")
    with pytest.raises(ReleaseError, match="other noise"):
        run({**spec, "measure": "published", "design": {"name": "geometric", "epsilon": "0.25"}}, tmp_path / "two")


@pytest.mark.parametrize("paid", [False, True])
def test_a_release_that_dies_between_keeping_and_drawing_is_planned_the_same_way(
    spec: dict[str, Any], tmp_path: Path, paid: bool
) -> None:
    spec = {**spec, "ledger": endow(tmp_path)} if paid else spec
    planned = plan(spec).frozen.measurements
    with dying_at("discreet.measure.lookup.measure"):
        run(spec, tmp_path / "one")
    again = plan({**spec, "accuracy": {"aim": "cells"}})
    assert again.frozen.measurements == planned
    assert "kept under this version label" in again.reason
    run({**spec, "accuracy": {"aim": "cells"}}, tmp_path / "two")
    if paid:
        assert len(ledger(tmp_path).verify().records) == 1


def test_a_release_that_dies_before_it_draws_freezes_nothing(spec: dict[str, Any], tmp_path: Path) -> None:
    with dying_at("discreet.release.count_and_draw.open_engine"):
        run(spec, tmp_path / "one")
    run({**spec, "measure": "published", "design": {"name": "geometric", "epsilon": "0.25"}}, tmp_path / "two")


def test_fresh_keys_draw_once_under_a_label_if_there_is_a_memory(spec: dict[str, Any], tmp_path: Path) -> None:
    fresh = {**spec, "key": "fresh"}
    run(fresh, tmp_path / "one")
    for change in ({}, {"key": "query"}, {"tables": [*spec["tables"], MORE]}):
        with pytest.raises(ReleaseError, match=r"fresh keys"):
            run({**fresh, **change}, tmp_path / "two")
    run({**fresh, "version": "v2"}, tmp_path / "two")
    run({**fresh, "secret": None}, tmp_path / "three")  # without a secret nothing is remembered


def test_a_ledger_keeps_the_plan_and_charges_what_is_new(
    paid_spec: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    first = run(paid_spec, tmp_path / "one")
    units = spent(tmp_path)
    run({**paid_spec, "accuracy": {"aim": "cells"}}, tmp_path / "two")
    assert spent(tmp_path) == units
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    second = run({**more, "ledger": paid_spec["ledger"]}, tmp_path / "three")
    assert {name: numbers(second)[name] for name in numbers(first)} == numbers(first)
    assert spent(tmp_path) > units
    verify_folder(tmp_path / "three")
    other = {**paid_spec, "measure": "published", "design": {"name": "geometric", "epsilon": "0.01"}}
    before = spent(tmp_path)
    third = run(other, tmp_path / "four")  # a second draw is charged, so it is granted
    assert spent(tmp_path) > before
    assert numbers(third) != numbers(first)


def test_fresh_keys_with_a_ledger_reuse_the_plan_and_pay_again(paid_spec: dict[str, Any], tmp_path: Path) -> None:
    fresh = {**paid_spec, "key": "fresh"}
    first = run(fresh, tmp_path / "one")
    units = spent(tmp_path)
    second = run({**fresh, "accuracy": {"aim": "cells"}}, tmp_path / "two")
    assert spent(tmp_path) == 2 * units
    assert second.plan.frozen.measurements == first.plan.frozen.measurements
    assert numbers(second) != numbers(first)


def test_only_a_release_that_holds_all_that_was_measured_claims_to_cover_it(
    paid_spec: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    """With a ledger a release may leave tables out, or draw them again: its promise is not that of both releases."""

    def is_marked(number: int, spec: dict[str, Any]) -> bool:
        release = run(spec, tmp_path / str(number))
        text = (tmp_path / str(number) / "README.md").read_text()
        marked = any("earlier" in entry for entry in release.manifest["spec"]["measure"])
        assert marked == ("earlier release" in text)
        return marked

    assert not is_marked(1, paid_spec)
    assert not is_marked(2, {**paid_spec, "key": "fresh"})
    assert not is_marked(3, {**more, "ledger": paid_spec["ledger"], "budget": {"epsilon": "1.5", "delta": "1e-6"}})


def test_a_refunded_release_freezes_nothing(paid_spec: dict[str, Any], tmp_path: Path) -> None:
    with dying_at("discreet.release.count_and_draw.open_engine"):
        run(paid_spec, tmp_path / "one")
    assert ledger(tmp_path).plans("v1") == []
    run(paid_spec, tmp_path / "one")
    assert len(ledger(tmp_path).plans("v1")) == 1
    assert ledger(tmp_path).plans("v2") == []
    assert ledger(tmp_path).verify()


@pytest.mark.parametrize("paid", [False, True])
def test_a_release_that_was_planned_while_another_was_drawn_is_refused(
    spec: dict[str, Any], more: dict[str, Any], tmp_path: Path, paid: bool
) -> None:
    ledger_of = {"ledger": endow(tmp_path)} if paid else {}
    richer = {**more, **ledger_of, "budget": {"epsilon": "1.5", "delta": "2e-6"}}
    late = plan(richer)  # planned before the other release was drawn, with less noise
    run({**spec, **ledger_of}, tmp_path / "one")
    with (
        mock.patch("discreet.release.run.make_plan", return_value=late),
        nothing_is_drawn() if not paid else mock.patch("discreet.measure.lookup.measure"),
        pytest.raises((ReleaseError, LedgerError), match="run it again"),
    ):
        run(richer, tmp_path / "two")
    run(richer, tmp_path / "two")


def release_of(spec: dict[str, Any], output: str, results: Any) -> None:
    try:
        run(spec, output)
        results.put("made")
    except (ReleaseError, LedgerError) as error:
        results.put(str(error))


@pytest.mark.parametrize("paid", [False, True])
def test_of_two_processes_with_two_plans_at_most_one_plan_is_drawn(
    spec: dict[str, Any], tmp_path: Path, paid: bool
) -> None:
    spec = {**spec, "tables": [{"name": "t", "dimensions": ["sex", "age", "side"], "margins": "all"}]}
    spec = {**spec, "ledger": endow(tmp_path)} if paid else spec
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    specs = [{**spec, "accuracy": {"aim": aim}} for aim in ("cells", "worst")]
    processes = [
        context.Process(target=release_of, args=(each, str(tmp_path / f"out{number}"), results))
        for number, each in enumerate(specs)
    ]
    for process in processes:
        process.start()
    answers = [results.get(timeout=300) for _ in processes]
    for process in processes:
        process.join()
    assert "made" in answers
    assert all(answer == "made" or "run it again" in answer for answer in answers)
    for each, name in zip(specs, ("again0", "again1"), strict=True):
        run(each, tmp_path / name)
    assert files_of(tmp_path / "again0") == files_of(tmp_path / "again1")
    made = [path for path in (tmp_path / "out0", tmp_path / "out1") if path.exists()]
    assert all(files_of(path) == files_of(tmp_path / "again0") for path in made)


def test_a_target_that_the_kept_plan_misses_is_refused(
    spec: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    run(spec, tmp_path / "one")
    target = {"table": "t", "plus_minus": 1}
    for each in (spec, more):
        with pytest.raises(TargetError, match=r"'sex by age'.*measured under this version label"):
            run({**each, "accuracy": {"within": [target]}}, tmp_path / "two")
    wide = {"within": [{**target, "plus_minus": 60}]}
    assert run({**more, "accuracy": wide}, tmp_path / "two").promise is not None


def without_draws(memory: Path) -> None:
    """Make a memory as an earlier version left it: without draws and plans, with the first seals."""
    key = keys.derive_key(secrets.read_secret(memory.with_suffix("")), "memory")
    with closing(sqlite3.connect(memory)) as connection:
        connection.executescript("DROP TABLE draws; DROP TABLE plans; DELETE FROM seals;")
        for part in secret_memory.FIRST_PARTS:
            mac = secret_memory.Memory(memory, key)._mac(connection, part, secret_memory.FIRST_SEAL)
            connection.execute("INSERT INTO seals VALUES (?, ?)", (part, mac))
        connection.commit()


def test_a_memory_of_an_earlier_version_does_not_know_which_noise_a_label_had(
    spec: dict[str, Any], tmp_path: Path
) -> None:
    published = {**spec, "measure": "published", "design": {"name": "geometric", "epsilon": "0.25"}}
    run(published, tmp_path / "one")
    without_draws(tmp_path / "secret.key.memory")
    run(published, tmp_path / "two")
    assert folder(tmp_path / "one") == folder(tmp_path / "two")
    other = {**published, "design": {"name": "geometric", "epsilon": "0.2"}}
    for refused in (other, {**other, "version": "v2"}, {**published, "tables": [MORE]}):
        with pytest.raises(SecretError, match="new_label"):
            run(refused, tmp_path / "three")
    declared = {"file": str(tmp_path / "secret.key"), "new_label": "v2"}
    run({**other, "version": "v2", "secret": declared}, tmp_path / "three")
    wider = {"tables": [MORE, *other["tables"]], "budget": {"epsilon": 3, "delta": "1e-6"}}
    run({**other, **wider, "version": "v2"}, tmp_path / "four")  # said once
    with pytest.raises(SecretError, match="new_label"):
        run({**other, "secret": declared}, tmp_path / "five")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM plans",
        "DELETE FROM draws",
        "UPDATE draws SET label = 'v2'",
        "UPDATE plans SET text = '{}'",
        "DROP TABLE draws",
        "DROP TABLE plans",
        "DROP TABLE draws; DROP TABLE plans; DELETE FROM seals WHERE part IN ('draws', 'plans')",
    ],
)
def test_what_was_drawn_is_sealed(spec: dict[str, Any], tmp_path: Path, statement: str) -> None:
    run(spec, tmp_path / "one")
    with closing(sqlite3.connect(tmp_path / "secret.key.memory")) as connection:
        connection.executescript(statement)
    with pytest.raises(SecretError, match="nothing was drawn"):
        run({**spec, "accuracy": {"aim": "cells"}}, tmp_path / "two")


def test_what_is_kept_holds_no_count(spec: dict[str, Any], tmp_path: Path) -> None:
    """Two towns with other people, and one secret each: the kept plans are equal."""
    texts = []
    for name in ("a", "b"):
        place = tmp_path / name
        place.mkdir()
        town = settle(place)
        if name == "b":
            (place / "people.csv").write_text("id,sex,side,age\n1,f,n,3\n")
        run({**spec, "source": town["source"], "secret": town["secret"]}, place / "out")
        with closing(sqlite3.connect(place / "secret.key.memory")) as connection:
            texts.append(connection.execute("SELECT label, text FROM plans").fetchall())
            names = connection.execute("SELECT label, noise, names FROM draws").fetchall()
            texts.append(names)
    assert texts[0] == texts[2]
    assert texts[1] == texts[3]
    fields = {"version", "key", "unit", "published", "measured", "tables", "planned", "budget"}
    assert set(json.loads(texts[0][0][1])) == fields


def test_numbers_of_two_steps_are_as_near_to_the_truth_as_planned(
    spec: dict[str, Any], more: dict[str, Any], tmp_path: Path
) -> None:
    """Each label draws again: the errors of 100 releases in two steps have the deviations that the plan states."""
    run(spec)
    later = run(more)
    planned = {grouping.name: grouping.typical_error for grouping in dc.release.describe(later.plan).groupings}
    truth = {"f": 150, "m": 150}
    errors = []
    assert isinstance(later.plan.spec.measure, list)
    entries = [entry.model_copy(update={"earlier": None}) for entry in later.plan.spec.measure]
    for label in range(100):
        release = run(later.plan.spec.model_copy(update={"version": f"y{label}", "measure": entries}))
        counts = {
            row["sex"]: row["count"] for row in release.table("more").to_dict("records") if row["side"] == "_total"
        }
        errors += [counts[sex] - truth[sex] for sex in truth]
    ratio = float(np.sqrt(np.mean(np.square(errors)))) / planned["sex"]
    assert 0.75 < ratio < 1.25
