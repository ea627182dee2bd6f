"""What a ledger keeps of plans: one entry for each release, as long as its units are held."""

from discreet.account.ledger.label_plans import LabelPlan
from discreet.account.ledger.ledger import Ledger
from tests.account.ledger.town import SECRET, cells, new


def test_a_plan_of_two_releases_is_kept_if_one_of_them_is_refunded(location: str) -> None:
    ledger, plan = new(location), LabelPlan("2026", "a plan", None)
    for refunded, other in (("one", "two"), ("three", "four")):
        first = ledger.reserve(refunded, 1, cells(refunded), {}, plan=plan)
        second = ledger.reserve(other, 1, cells(other), {}, plan=plan)
        second.spend()
        first.refund()
        assert ledger.plans("2026") == ["a plan"]
    assert Ledger.at(location, SECRET).verify().spent == 2


def test_a_plan_counts_again_if_its_release_is_reserved_again(location: str) -> None:
    ledger, plan = new(location), LabelPlan("2026", "a plan", None)
    ledger.reserve("one", 1, cells("a"), {}, plan=plan).refund()
    assert ledger.plans("2026") == []
    for _ in range(2):
        ledger.reserve("one", 1, cells("a"), {}, plan=plan)
        assert ledger.plans("2026") == ["a plan"]
    assert sum(line.count("'a plan'") for line in entries(ledger)) == 1


def entries(ledger: Ledger) -> list[str]:
    with ledger._store.read() as connection:
        return [str(row) for row in ledger._chain.replay(connection).plans]
