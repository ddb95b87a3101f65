"""Whether `recollect.rules.calibrate` says what later comes true: FiveThirtyEight's forecasts.

The older half of all forecasts gives each bin of stated probability its posterior. A 90 %
predictive interval made of that ought to hold the number of hits of the later half in nine bins of
ten. Split bin by bin instead, each at its own middle, eight hold: rates drift, and these
intervals allow for chance alone.

Run from the root: python -m bench.calibration
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from recollect.model import micros
from recollect.rules import calibrate
from recollect.rules.beta import Beta

HERE = Path(__file__).parent
PUBLIC = Path(os.environ.get("RECOLLECT_BENCH_DATA", HERE.parent.parent / "shared" / "bench"))
DATA = PUBLIC / "calibration_538.jsonl.gz"
RESULTS = HERE / "results" / "calibration.json"
UNIFORM = Beta(1.0, 1.0)
LEVEL = 0.9


def forecasts() -> list[calibrate.Scored]:
    """All forecasts, oldest first."""
    with gzip.open(DATA, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    rows.sort(key=lambda row: (row["time"], row["id"]))
    return [
        calibrate.Scored(
            row["p"],
            float(row["outcome"]),
            micros(datetime.fromisoformat(row["time"]).replace(tzinfo=UTC)),
        )
        for row in rows
    ]


def bins(found: list[calibrate.Scored], *, apart: bool = False) -> list[dict[str, object]]:
    """Each bin: what its older half foretells of the later, and what came."""
    middle = found[len(found) // 2].at
    shown: list[dict[str, object]] = []
    for number in range(calibrate.BINS):
        mine = [one for one in found if calibrate.bin_of(one.stated) == number]
        half = len(mine) // 2 if apart else sum(one.at < middle for one in mine)
        older, later = mine[:half], mine[half:]
        known = calibrate.posterior((one.score for one in older), UNIFORM)
        low, high = calibrate.predicted(known, len(later), LEVEL)
        hits = int(sum(one.score for one in later))
        shown.append(
            {
                "stated": [number / calibrate.BINS, (number + 1) / calibrate.BINS],
                "older": len(older),
                "later": len(later),
                "posterior": [round(known.alpha, 1), round(known.beta, 1)],
                "foretold": [low, high],
                "came": hits,
                "held": low <= hits <= high,
            }
        )
    return shown


def main() -> int:
    if not DATA.exists():
        print(f"Skipped: {DATA.name} is not there. Name its folder in RECOLLECT_BENCH_DATA.")
        return 0
    found = forecasts()
    shown = bins(found)
    held = sum(bool(one["held"]) for one in shown)
    apart = sum(bool(one["held"]) for one in bins(found, apart=True))
    quality = calibrate.quality(found)
    for one in shown:
        print(one)
    print(f"{held} of {len(shown)} bins held; {apart} where each bin is split at its own middle")
    result = {
        "data": {"name": DATA.name, "sha256": sha256(DATA.read_bytes()).hexdigest()},
        "forecasts": quality.sample_size,
        "level": LEVEL,
        "held": held,
        "held_split_bin_by_bin": apart,
        "bins": shown,
        "brier": quality.brier,
        "expected_calibration_error": quality.expected_error,
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0 if held >= len(shown) - 1 else 1


if __name__ == "__main__":
    sys.exit(main())
