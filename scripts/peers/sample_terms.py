"""Thirty index terms, from the most frequent to the rarest: python sample_terms.py WORK_DIR_OF_A_COLLECTION"""

import json
import pathlib
import sys
from collections import Counter


def main(work: pathlib.Path) -> None:
    counts = [Counter(), Counter()]
    for peer, counter in zip(("terrier", "anserini"), counts):
        for line in (work / f"{peer}.docs.tokens").open(encoding="utf-8"):
            counter.update(json.loads(line)["terms"])
    shared = sorted(counts[0].keys() & counts[1].keys(), key=lambda term: (-counts[1][term], term))
    print(*(shared[round(i * (len(shared) - 1) / 29) if i > 9 else i] for i in range(30)))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
