/**
 * Texts that a tab remembers until it is closed. Browsers may deny a page its storage, and it holds a few megabytes:
 * what it does not take, this page alone remembers.
 */
const here = new Map<string, string>();

export function remember(name: string, text: string): void {
  here.set(name, text);
  try {
    sessionStorage.setItem(name, text);
  } catch {
    forget(name);
  }
}

export function remembered(name: string): string | null {
  try {
    return here.get(name) ?? sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Forgets an older text in the storage, which a reload would bring back. */
function forget(name: string): void {
  try {
    sessionStorage.removeItem(name);
  } catch {
    // Storage that is denied holds nothing.
  }
}
