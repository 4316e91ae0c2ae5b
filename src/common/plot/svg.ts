type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An SVG element as text; numbers are rounded to two decimals. */
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

/** The text with the characters escaped that HTML and SVG reserve, in content and in attribute values. */
export function escapeText(content: string): string {
  return content.replace(/[&<>"]/g, (sign) => `&#${sign.codePointAt(0)};`);
}

/** The text that {@link escapeText} escaped. */
export function unescapeText(content: string): string {
  return content.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

/** A coordinate with at most two decimals. */
export function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** The path data of a closed line. */
export function polygon(points: readonly (readonly [number, number])[]): string {
  return `M${polyline(points)}Z`;
}

/** The path data of a line, without the first command. */
export function polyline(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y]) => `${round(x)} ${round(y)}`).join('L');
}
