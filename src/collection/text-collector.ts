/** Collects running text from markup: white space is collapsed, and elements that separate words give a line break. */
export class TextCollector {
  private readonly blocks: string[] = [];
  private open = '';

  add(text: string): void {
    this.open += text;
  }

  /** Separates the text that follows from the text before. */
  separate(): void {
    if (this.open === '') return;
    const block = collapse(this.open);
    if (block !== '') this.blocks.push(block);
    this.open = '';
  }

  /** Returns the text so far and empties the collector. */
  take(): string {
    this.separate();
    return this.blocks.splice(0).join('\n');
  }
}

/** Replaces white space by one blank. Single blanks, by far the most frequent, are left alone, which is fast. */
export function collapse(text: string): string {
  return text.trim().replace(/\s{2,}|[^\S ]/g, ' ');
}

/** Plain text as it is indexed: lines without needless white space, empty ones left out. */
export function plainLines(text: string): string {
  return text.split('\n').map(collapse).filter(Boolean).join('\n');
}
