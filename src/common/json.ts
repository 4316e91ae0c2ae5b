/** A parsed JSON object whose fields are still to be checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for an object with these fields, all of which are texts. */
export function hasTexts(value: unknown, ...fields: readonly string[]): boolean {
  return isJsonObject(value) && fields.every((field) => typeof value[field] === 'string');
}
