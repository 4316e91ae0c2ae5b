/** log2 of whole numbers by table: DPH takes three logarithms per posting, of frequencies and lengths. */
let table = new Float64Array(0);
const TABLE_LIMIT = 1 << 16;

/** A table of log2(0…n), shared and grown on demand; never longer than {@link TABLE_LIMIT}. */
export function log2Table(n: number): Float64Array {
  const size = Math.min(n, TABLE_LIMIT) + 1;
  if (table.length < size) {
    table = new Float64Array(size);
    for (let i = 0; i < size; i++) table[i] = Math.log2(i);
  }
  return table;
}
