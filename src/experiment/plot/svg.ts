type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An SVG element as text; numbers are cut to two decimals, which no eye can tell. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const given = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : escapeText(value!)}"`)
    .join('');
  return children.length === 0 ? `<${name}${given}/>` : `<${name}${given}>${children.join('')}</${name}>`;
}

export function text(content: string, attributes: Attributes): string {
  return element('text', attributes, escapeText(content));
}

/** For text and for attribute values. */
export function escapeText(content: string): string {
  return content.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
}

export function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}
