"""Where the memory of a secret lies: one file for each secret.

    SECRET.memory       beside the file of the secret. A link to the secret has the memory of its target
    FILE                with secret: {memory: FILE}

Two memories of one secret do not know what the other one keeps. So a second one is refused.
"""

import os
from pathlib import Path

from discreet.errors import SecretError
from discreet.plan.sections import Secret
from discreet.redact import quoted


def memory_path(spec: Secret | None) -> Path | None:
    """Return the path of the memory of a secret; None for a secret from the environment without such a path.

    Parameters
    ----------
    spec
        The section `secret` of a specification.

    Raises
    ------
    SecretError
        There is another memory of the secret, beside its file or, from an earlier version, beside a link to its file.
    """
    if spec is None or spec.memory_path is None:
        return None
    memory = spec.memory_path
    if spec.file is not None and spec.memory is not None:
        _require_the_only_one(f"{os.path.realpath(spec.file)}.memory", memory)
    elif spec.file is not None:
        _not_beside_a_link(f"{spec.file}.memory", memory)
    return Path(memory)


def _require_the_only_one(beside: str, memory: str) -> None:
    """Raise SecretError if there is a memory beside the secret, and the specification names another one."""
    if not _is_another(beside, memory):
        return
    remedy = f"move {quoted(beside)} to {quoted(memory)}, or leave memory out of the specification"
    if os.path.lexists(memory):
        remedy = (
            "both files exist. Find out which releases each of them remembers, give a new version label to all that was"
            f" released with one of them, remove that one, and keep the other one as {quoted(memory)}, or leave memory"
            " out of the specification"
        )
    raise SecretError(
        f"the specification names the memory {quoted(memory)}, and there is a memory beside the secret,"
        f" {quoted(beside)}. Nothing was drawn: a new memory does not know what was released with the secret. Each"
        f" secret has one memory: {remedy}"
    )


def _not_beside_a_link(beside: str, memory: str) -> None:
    """Raise SecretError if an earlier version kept a memory beside a link to the file of the secret."""
    if _is_another(beside, memory):
        raise SecretError(
            f"there is a memory beside a link to the secret, {quoted(beside)}; a memory is kept beside the file that"
            f" the link leads to, {quoted(memory)}. Nothing was drawn: if there is no such file, move the memory there."
            " If there is one, give a new version label to all that was released by the link, then remove the memory"
            " beside the link"
        )


def _is_another(beside: str, memory: str) -> bool:
    """Return True if there is a file, and it is not the memory."""
    return os.path.lexists(beside) and os.path.realpath(beside) != os.path.realpath(memory)
