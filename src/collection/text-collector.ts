/** Gathers running text out of markup: white space collapsed, one line break where elements separate words. */
export class TextCollector {
  private readonly blocks: string[] = [];
  private open = '';

  add(text: string): void {
    this.open += text;
  }

  /** What comes next is not part of the same word or paragraph. */
  separate(): void {
    if (this.open === '') return;
    const block = collapse(this.open);
    if (block !== '') this.blocks.push(block);
    this.open = '';
  }

  get isEmpty(): boolean {
    return this.blocks.length === 0 && this.open.trim() === '';
  }

  /** The text so far; the collector is empty afterwards. */
  take(): string {
    this.separate();
    return this.blocks.splice(0).join('\n');
  }
}

/** One blank for any white space. Blanks that stand alone, the most by far, are left as they are: that is fast. */
export function collapse(text: string): string {
  return text.trim().replace(/\s{2,}|[^\S ]/g, ' ');
}
