const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** True in Node, whose Buffer copies texts several times faster than a loop over their units. */
const hasBuffer = typeof globalThis.Buffer === 'function' && littleEndian;

/** A function that copies the UTF-16 units of a text, which must fit, to the beginning of an array. */
export function unitWriter(units: Uint16Array): (text: string) => void {
  if (hasBuffer) {
    const bytes = globalThis.Buffer.from(units.buffer, units.byteOffset, units.byteLength);
    return (text) => void bytes.write(text, 'utf16le');
  }
  return (text) => {
    for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  };
}

/** A copy of a text. A slice may be a view, which keeps the text that it was cut from in memory. */
export function copyOf(text: string): string {
  if (hasBuffer) return globalThis.Buffer.from(text, 'utf16le').toString('utf16le');
  return JSON.parse(JSON.stringify(text)) as string;
}
