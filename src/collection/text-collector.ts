/** Gathers running text out of markup: white space collapsed, one line break where elements separate words. */
export class TextCollector {
  private readonly blocks: string[] = [];
  private open = '';

  add(text: string): void {
    this.open += text;
  }

  /** What comes next is not part of the same word or paragraph. */
  separate(): void {
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

export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
