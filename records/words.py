"""Fast counting of white-space words, as lengths of documents and prompts are counted in every build."""

import numpy as np

SHORT = 1 << 10  # bytes below which Python's own way is faster
BLOCK = 1 << 16  # bytes processed at a time, whose arrays fit into the processor's cache
ASCII, TAB, FILE_SEPARATOR, FIVE = (np.uint8(number) for number in (127, 9, 28, 5))


def words_in(data: bytes) -> int:
    """Return the number of words that `str.split` finds in a UTF-8 text; about eight times as fast on ASCII."""
    if len(data) < SHORT:
        return len(data.decode("utf-8").split())
    every = np.frombuffer(data, dtype=np.uint8)
    if not data.isascii():
        rest = every[every > ASCII].tobytes().decode("utf-8")  # whole characters: all their bytes are outside ASCII
        if len(rest) > len(data) // 8 or rest.split() != [rest]:  # another script, or white space outside ASCII
            return len(data.decode("utf-8").split())
    count = 0
    before = True
    for start in range(0, len(every), BLOCK):
        block = every[start : start + BLOCK]
        # \t \n \v \f \r, then \x1c to \x1f and the space; unsigned, so that nothing is negative
        space = (block - TAB < FIVE) | (block - FILE_SEPARATOR < FIVE)
        count += int(np.count_nonzero(space[:-1] > space[1:])) + int(before and not space[0])
        before = bool(space[-1])
    return count
