"""The distinct tokens of a token dump as {"id","contents"} lines, to be sent through a term pipeline one by one."""

import json
import sys

tokens = {token for line in open(sys.argv[1], encoding="utf-8") for token in json.loads(line)["terms"]}
for token in sorted(tokens):
    print(json.dumps({"id": token, "contents": token}))
