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

/** V8 copies shorter slices, and makes longer ones views of the text. */
const SHORTEST_VIEW = 13;

/**
 * A copy that does not share memory with the text it was cut from. A view would keep all of that in memory: the ids of a
 * collection would keep its texts.
 */
export function ownCopy(text: string): string {
  if (text.length < SHORTEST_VIEW) return text;
  if (hasBuffer) return globalThis.Buffer.from(text, 'utf16le').toString('utf16le');
  return JSON.parse(JSON.stringify(text)) as string;
}
