import type { TextUnits, TokenSink } from './text-units.js';

const isAlphanumeric = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Divides text into runs of ASCII letters and digits, as Terrier's EnglishTokeniser does. */
export function tokenizeAlphanumeric(units: TextUnits, sink: TokenSink): void {
  const { codes, length } = units;
  let start = -1;
  for (let at = 0; at < length; at++) {
    const code = codes[at]!;
    if (code < 128 && isAlphanumeric[code] === 1) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      sink.token(units, start, at);
      start = -1;
    }
  }
  if (start >= 0) sink.token(units, start, length);
}
