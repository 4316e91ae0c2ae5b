import { grown } from '../../common/concat.js';

/** A growing list of token ids, reused from text to text. */
export class IdBuffer {
  length = 0;
  private ids = new Int32Array(1024);

  push(id: number): void {
    if (this.length === this.ids.length) this.ids = grown(this.ids);
    this.ids[this.length++] = id;
  }

  /** Appends `count` ids of `source` from `start` on. */
  append(source: Int32Array, start: number, count: number): void {
    if (this.length + count > this.ids.length) this.ids = grown(this.ids, this.length + count);
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
}
