"""Bar charts of probabilities, as lines of text."""

import numpy as np

from discreet.arrays import Floats

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bars(
    outputs: list[str],
    probabilities: Floats,
    width: int = 40,
    most: int = 21,
    ascii_only: bool = False,
) -> list[str]:
    """Return one line for each output, with a bar in eighths of a character.

    If there are more than `most` outputs, return the most likely run of `most` consecutive outputs.
    """
    if len(outputs) > most:
        cumulated = np.concatenate([[0], np.cumsum(probabilities)])
        first = int(np.argmax(cumulated[most:] - cumulated[:-most]))
        outputs, probabilities = outputs[first : first + most], probabilities[first : first + most]
    label_width = max(len(output) for output in outputs)
    largest = float(probabilities.max())
    lines = []
    for output, probability in zip(outputs, probabilities.tolist(), strict=True):
        whole, eighths = divmod(round(8 * width * probability / largest), 8)
        bar = "#" * whole if ascii_only else "█" * whole + (_EIGHTHS[eighths] if eighths else "")
        lines.append(f"{output:>{label_width}}  {probability:9.3g}  {bar}".rstrip())
    return lines
