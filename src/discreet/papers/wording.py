"""The one rule by which words of quantity are judged: "about", "half", "similar", "much", "most".

A paper that says "about" gives no limit. Here every such word has one, for all papers, and every claim that judges such
a word prints the limit beside it:

about
    "about", "half", "close to", "similar", "almost", "nearly": two numbers differ by at most a tenth of the stated one.
little
    "small", "negligible", "unlikely", "rare", "essentially", and "similar" of distributions: a chance, a part or a
    distance (total variation) is at most 0.1.
slightly
    "slightly", "no big difference", "not substantially": by less than a factor of 2.
much
    "much", "significantly", "severely", "considerably": by a factor of 2 or more.
most
    "most", "often", "tends to", "many": in more than half of the cases.

A number that is printed with digits, such as "approximately 0.0498", is judged to these digits, not by this rule.
"""

ABOUT = "(limit: within 10%)"
LITTLE = "(limit: at most 0.1)"
SLIGHTLY = "(limit: below a factor of 2)"
MUCH = "(limit: a factor of 2)"
MOST = "(limit: more than half)"

TENTH, TWICE, HALF = 0.1, 2.0, 0.5

WORDS = (
    *("about", "half", "close", "closely", "similar", "almost", "nearly", "small", "negligible", "unlikely", "rare"),
    *(
        "essentially",
        "slightly",
        "substantially",
        "much",
        "significantly",
        "severely",
        "considerably",
        "overwhelmingly",
    ),
    *("most", "often", "tends", "many"),
)
"""The words of quantity. A claim that has one of them prints a limit."""

RULE = (
    "Words of quantity are judged by one rule. About, half, close, similar, almost: within 10%. Small, negligible,"
    " rare: a chance, a part or a distance of distributions is at most 0.1. Slightly, no big difference: by less"
    " than a factor of 2. Much, significantly: by a factor of 2 or more. Most, often, tends to: in more than half of"
    " the cases."
)


def about(value: float, stated: float) -> bool:
    """Return True if a number differs from the stated one by at most a tenth of the stated one.

    Examples
    --------
    >>> about(0.511, 0.5), about(0.4, 0.5)
    (True, False)
    """
    return abs(value - stated) <= TENTH * abs(stated)


def little(chance: float) -> bool:
    """Return True if a chance, or a distance of two distributions, is at most 0.1."""
    return chance <= TENTH


def much(more: float, less: float) -> bool:
    """Return True if the first number is at least twice the second."""
    return more >= TWICE * less


def slightly(more: float, less: float) -> bool:
    """Return True if the first number is not below the second, and below twice the second."""
    return less <= more < TWICE * less


def most(share: float) -> bool:
    """Return True if a share is more than half."""
    return share > HALF
