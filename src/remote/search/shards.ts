/** What an answer lacks where shards of an index are away; nothing where all are there. */
export function shardsAway(index: string, total: number, there: number): string | undefined {
  return there < total ? `${total - there} of ${total} shards of ${index} cannot be searched` : undefined;
}
