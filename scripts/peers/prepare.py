"""Turns a collection folder into the two files both peers are fed.

    python prepare.py COLLECTION_DIR OUT_DIR

docs/docs.jsonl   {"id", "contents"}; contents = title + " " + text, or text alone where the title is empty
queries.tsv       id TAB text, for the queries of queries.jsonl that appear in qrels.txt, in file order
queries.jsonl     the same as {"id", "contents"}
"""

import json
import pathlib
import sys


def one_line(text: str) -> str:
    return " ".join(text.split())


def main(source: pathlib.Path, out: pathlib.Path) -> None:
    (out / "docs").mkdir(parents=True, exist_ok=True)
    with (source / "corpus.jsonl").open(encoding="utf-8") as corpus, \
            (out / "docs" / "docs.jsonl").open("w", encoding="utf-8") as docs:
        for line in corpus:
            document = json.loads(line)
            title, text = document.get("title") or "", document.get("text") or ""
            contents = f"{title} {text}" if title else text
            docs.write(json.dumps({"id": document["_id"], "contents": contents}, ensure_ascii=False) + "\n")

    judged = {line.split()[0] for line in (source / "qrels.txt").open(encoding="utf-8") if line.strip()}
    with (source / "queries.jsonl").open(encoding="utf-8") as queries, \
            (out / "queries.tsv").open("w", encoding="utf-8") as tsv, \
            (out / "queries.jsonl").open("w", encoding="utf-8") as jsonl:
        for line in queries:
            query = json.loads(line)
            if query["_id"] in judged:
                text = one_line(query["text"])
                tsv.write(f"{query['_id']}\t{text}\n")
                jsonl.write(json.dumps({"id": query["_id"], "contents": text}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
