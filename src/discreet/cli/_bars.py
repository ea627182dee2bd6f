"""A probability mass function as lines of text."""

import numpy as np
import numpy.typing as npt

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bars(
    outputs: list[str],
    probabilities: npt.NDArray[np.float64],
    width: int = 40,
    most: int = 21,
    ascii_only: bool = False,
) -> list[str]:
    """One line an output, its bar in eighths of a character; the likeliest run of outputs where there are too many."""
    if len(outputs) > most:
        cumulated = np.concatenate([[0], np.cumsum(probabilities)])
        first = int(np.argmax(cumulated[most:] - cumulated[:-most]))
        outputs, probabilities = outputs[first : first + most], probabilities[first : first + most]
    label = max(len(output) for output in outputs)
    top = float(probabilities.max())
    lines = []
    for output, probability in zip(outputs, probabilities.tolist(), strict=True):
        whole, part = divmod(round(8 * width * probability / top), 8)
        bar = "#" * whole if ascii_only else "█" * whole + (_EIGHTHS[part] if part else "")
        lines.append(f"{output:>{label}}  {probability:9.3g}  {bar}".rstrip())
    return lines
