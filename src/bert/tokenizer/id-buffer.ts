/** A growing list of token ids, reused from text to text. */
export class IdBuffer {
  length = 0;
  private ids = new Int32Array(1024);

  push(id: number): void {
    if (this.length === this.ids.length) this.reserve(1);
    this.ids[this.length++] = id;
  }

  /** Appends `count` ids of `source` from `start` on. */
  append(source: Int32Array, start: number, count: number): void {
    if (this.length + count > this.ids.length) this.reserve(count);
    const { ids } = this;
    let at = this.length;
    for (let i = start; i < start + count; i++) ids[at++] = source[i];
    this.length = at;
  }

  at(index: number): number {
    return this.ids[index];
  }

  copy(): Int32Array {
    return this.ids.slice(0, this.length);
  }

  private reserve(count: number): void {
    const grown = new Int32Array(Math.max(2 * this.ids.length, this.length + count));
    grown.set(this.ids);
    this.ids = grown;
  }
}
