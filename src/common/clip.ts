/** The beginning of a text that may be long, for a message. */
export function clip(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/**
 * A text of someone else for the terminal, on one line. Characters that control a terminal are replaced: a document could
 * change the window's title, the clipboard or the lines above.
 */
export function printable(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ').replace(/\p{Cc}/gu, '\ufffd');
}
