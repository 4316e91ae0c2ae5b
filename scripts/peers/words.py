"""Every distinct ASCII word of the named collections, one JSON line {"id","contents"} each, sorted.

    python words.py COLLECTIONS_DIR NAME... > words.jsonl
"""

import json
import pathlib
import re
import sys

WORD = re.compile(r"[a-z0-9]+")


def main(collections: pathlib.Path, names: list[str]) -> None:
    words = set()
    for name in names:
        for file in ("corpus.jsonl", "queries.jsonl"):
            with (collections / name / file).open(encoding="utf-8") as lines:
                for line in lines:
                    entry = json.loads(line)
                    words.update(WORD.findall(f"{entry.get('title') or ''} {entry['text']}".lower()))
    for word in sorted(words):
        print(json.dumps({"id": word, "contents": word}))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
