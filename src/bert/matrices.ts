/** Row-major `[rows, columns]` → `[columns, rows]`, tile by tile so that both sides stay in the cache. */
export function transposed(matrix: Float32Array, rows: number, columns: number): Float32Array {
  const tile = 32;
  const result = new Float32Array(matrix.length);
  for (let top = 0; top < rows; top += tile) {
    const bottom = Math.min(rows, top + tile);
    for (let left = 0; left < columns; left += tile) {
      const right = Math.min(columns, left + tile);
      for (let row = top; row < bottom; row++) {
        for (let column = left; column < right; column++) {
          result[column * rows + row] = matrix[row * columns + column];
        }
      }
    }
  }
  return result;
}

/** `matrix · vector` for a row-major `[rows, columns]` matrix. */
export function timesVector(matrix: Float32Array, vector: ArrayLike<number>): Float64Array {
  const columns = vector.length;
  const result = new Float64Array(matrix.length / columns);
  for (let row = 0; row < result.length; row++) {
    let sum = 0;
    for (let column = 0; column < columns; column++) sum += matrix[row * columns + column] * vector[column];
    result[row] = sum;
  }
  return result;
}
