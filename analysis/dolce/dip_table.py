from collections.abc import Mapping

SHARES: tuple[float, ...] = (0.0, 1.0)
QUANTILES: Mapping[int, tuple[float, ...]] = {4: (0.0, 1.0)}
