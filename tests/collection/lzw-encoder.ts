/**
 * A plain `compress` for the tests: the other direction of src/collection/uncompress.ts, written independently of
 * it and judged by `gzip -d`.
 */
export function lzwCompress(content: Buffer, maxBits: number, { clearEvery = 0 } = {}): Buffer {
  const out: number[] = [0x1f, 0x9d, 0x80 | maxBits];
  let bits: number[] = [];
  let width = 9;
  let codesInGroup = 0;

  const flushBits = (): void => {
    for (let i = 0; i < bits.length; i += 8) {
      let byte = 0;
      for (let k = 0; k < 8; k++) byte |= (bits[i + k] ?? 0) << k;
      out.push(byte);
    }
    bits = [];
  };
  const write = (code: number): void => {
    for (let k = 0; k < width; k++) bits.push((code >> k) & 1);
    codesInGroup++;
    if (codesInGroup === 8) {
      flushBits();
      codesInGroup = 0;
    }
  };
  /** Fills the group of eight codes up, as compress does before it changes the width. */
  const padGroup = (): void => {
    if (codesInGroup > 0) {
      while (bits.length < width * 8) bits.push(0);
      flushBits();
      codesInGroup = 0;
    }
  };

  let table = new Map<string, number>();
  let next = 257;
  const codeOf = (text: string): number => (text.length === 1 ? text.charCodeAt(0) : table.get(text)!);
  let current = '';
  let sinceClear = 0;
  for (const byte of content) {
    const longer = current + String.fromCharCode(byte);
    if (longer.length === 1 || table.has(longer)) {
      current = longer;
      continue;
    }
    write(codeOf(current));
    current = String.fromCharCode(byte);
    if (next < 1 << maxBits) {
      table.set(longer, next++);
      // The decoder is one entry behind: it widens when its own table is full.
      if (next - 1 > (1 << width) - 1 && width < maxBits) {
        padGroup();
        width++;
      }
    }
    sinceClear++;
    if (clearEvery > 0 && sinceClear >= clearEvery) {
      write(256);
      padGroup();
      width = 9;
      table = new Map();
      next = 257;
      sinceClear = 0;
    }
  }
  if (current !== '') write(codeOf(current));
  if (bits.length > 0) flushBits();
  return Buffer.from(out);
}
