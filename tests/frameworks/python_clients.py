"""Re-ranks by the clients of TEI and Jina in LlamaIndex and LangChain, each with its own defaults.

Reads {"url", "key", "query", "documents"} from standard input; writes {client: [[index, score], ...]}, best first.
"""

import json
import sys

from langchain_community.document_compressors import jina_rerank
from langchain_core.documents import Document
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.postprocessor.jinaai_rerank import JinaRerank
from llama_index.postprocessor.tei_rerank import TextEmbeddingInference

task = json.load(sys.stdin)
url, key, query, documents = (task[name] for name in ("url", "key", "query", "documents"))


def by_llama_index(postprocessor):
    nodes = [NodeWithScore(node=TextNode(id_=str(i), text=text)) for i, text in enumerate(documents)]
    ranked = postprocessor.postprocess_nodes(nodes, QueryBundle(query))
    return [[int(node.node.id_), node.score] for node in ranked]


def by_langchain():
    jina_rerank.JINA_API_URL = f"{url}/v1/rerank"
    compressor = jina_rerank.JinaRerank(jina_api_key=key)
    texts = [Document(page_content=text, metadata={"index": i}) for i, text in enumerate(documents)]
    ranked = compressor.compress_documents(texts, query)
    return [[document.metadata["index"], document.metadata["relevance_score"]] for document in ranked]


def refused():
    try:
        by_llama_index(JinaRerank(base_url=f"{url}/v1", api_key="wrong"))
    except RuntimeError as error:
        return str(error)


json.dump(
    {
        "LlamaIndex TEI": by_llama_index(TextEmbeddingInference(base_url=url, auth_token=f"Bearer {key}")),
        "LlamaIndex Jina": by_llama_index(JinaRerank(base_url=f"{url}/v1", api_key=key)),
        "LangChain Jina": by_langchain(),
        "refused": refused(),
    },
    sys.stdout,
)
