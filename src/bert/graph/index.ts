export { bertGraph, GRAPH_IDS, GRAPH_LOGITS, GRAPH_SLOTS } from './bert-graph.js';
