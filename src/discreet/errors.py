"""Errors and warnings for users. A message says what was given, what was expected, and what to do."""

from discreet.redact import hide_secrets


class DiscreetError(Exception):
    """Any error that a user of Discreet can cause or meet.

    The message repeats what was given, without parts that may be a secret (`redact`).
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(hide_secrets(message))


class ParameterError(DiscreetError, ValueError):
    """A parameter of a design, a loss or a command is outside its range."""


class TooLargeTableError(ParameterError):
    """A reader asks for a table with too many cells.

    Attributes
    ----------
    cells
        The number of its cells.
    most
        The most cells that a table may have.
    """

    def __init__(self, message: str, cells: int, most: int) -> None:
        super().__init__(message)
        self.cells, self.most = cells, most


class UnpublishedTableError(ParameterError):
    """No published table or margin adds up to the table that a reader asks for."""


class IncomparableError(ParameterError):
    """The change between two releases is asked for, and they do not count the same people in the same way."""


class MechanismError(DiscreetError, ValueError):
    """Rows, domain and neighbours do not make a mechanism, or the mechanism cannot answer a question."""


class SolverError(DiscreetError):
    """A program has no solution, or was not solved within its time limit."""


class CertifyError(DiscreetError):
    """The mechanism has no integer table that keeps its promise at this number of bits."""


class EpsilonError(CertifyError):
    """The design has no epsilon of its own, and none was given."""


class CertificateError(DiscreetError, ValueError):
    """A certificate cannot be read, or one of its claims does not hold.

    Attributes
    ----------
    failures
        Every claim that failed, one line each.
    """

    def __init__(self, message: str, failures: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.failures = failures


class InputError(DiscreetError, ValueError):
    """Counts or keys given to a perturbation table have the wrong type, shape or range."""


class MissingExtraError(InputError):
    """An optional dependency is not installed."""


class ManyValuesError(InputError):
    """A column has more different values than are allowed."""


class FormatError(DiscreetError, ValueError):
    """A table of another tool cannot be read, or the format of another tool cannot hold a table."""


class EntropyError(DiscreetError):
    """The operating system did not deliver random bytes; nothing was drawn."""


class OutputError(DiscreetError):
    """A file or folder could not be written; nothing was left behind."""


class SecretError(DiscreetError):
    """A secret is missing, is not 32 random bytes, or lies where others can read it."""


class LedgerError(DiscreetError):
    """A ledger cannot be opened or read, was changed by something other than Discreet, or refuses a step out of order.

    Attributes
    ----------
    failures
        Every check that failed, one line each.
    """

    def __init__(self, message: str, failures: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.failures = failures


class LostLedgerError(LedgerError):
    """The server of a ledger cannot be reached, or the connection broke. The last step is whole, or not written."""


class BudgetError(LedgerError):
    """The budget is too small; nothing was reserved.

    Attributes
    ----------
    requested
        Units that were requested.
    left
        Units that are left.
    """

    def __init__(self, message: str, requested: int, left: int) -> None:
        super().__init__(message)
        self.requested, self.left = requested, left


class DataChangedError(LedgerError):
    """The data changed under an unchanged version label. For the steward only: analysts must not see this."""


class PrecisionWarning(UserWarning):
    """A table or a design keeps its promise, but is not the distribution that was requested."""


class FixedCountWarning(UserWarning):
    """A fixed count is further from its measurement than noise explains."""


class PrivacyWarning(UserWarning):
    """The delta of a design is a chance that the truth is published as it is."""


class SpecError(DiscreetError, ValueError):
    """The specification of a release has a mistake. The message names the line.

    Attributes
    ----------
    yaml_path
        The part of the specification with the mistake: keys, positions in lists, names of tables.
    """

    def __init__(self, message: str, yaml_path: tuple[int | str, ...] = ()) -> None:
        super().__init__(message)
        self.yaml_path = yaml_path


class PlanError(DiscreetError, ValueError):
    """No plan gives what is asked of a published grouping.

    Attributes
    ----------
    grouping
        The index of the grouping among the published ones.
    """

    def __init__(self, message: str, grouping: int) -> None:
        super().__init__(message)
        self.grouping = grouping


class UndeterminedError(PlanError):
    """The groupings that may be measured do not determine a published grouping."""


class TargetError(PlanError):
    """The budget cannot buy the accuracy that is asked of a grouping.

    Attributes
    ----------
    requested
        The half width, or the standard deviation, that was asked for.
    possible
        What the budget can buy for the grouping, with all other demands stretched by the same factor.
    """

    def __init__(self, message: str, grouping: int, requested: float, possible: float) -> None:
        super().__init__(message, grouping)
        self.requested, self.possible = requested, possible


class ReleaseError(DiscreetError):
    """A release could not be made; nothing was published."""


class ExceededBudgetError(ReleaseError):
    """The guarantee of a release exceeds its budget.

    Attributes
    ----------
    finding
        The message without the remedy. The remedy is for the steward who makes the release, not for readers.
    """

    def __init__(self, finding: str, remedy: str) -> None:
        super().__init__(f"{finding}: {remedy}")
        self.finding = finding
