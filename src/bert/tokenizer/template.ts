import { isJsonObject, type JsonObject } from '../../common/json.js';
import { badFile } from '../json.js';
import type { PairTemplate } from '../types.js';

/** BERT's template: `[CLS] a [SEP] b [SEP]`, the second segment from b on. */
export function bertTemplate(cls: number, sep: number, pad: number): PairTemplate {
  return { before: [cls], between: [sep], after: [sep], secondSegment: 1, pad };
}

/**
 * The pair template of a tokenizer.json, read from its post-processor; undefined if it has none. `file` is for
 * messages.
 */
export function pairTemplate(postProcessor: unknown, pad: number, file: string): PairTemplate | undefined {
  if (!isJsonObject(postProcessor)) return undefined;
  switch (postProcessor['type']) {
    case 'TemplateProcessing':
      return fromTemplate(postProcessor, pad, file);
    case 'BertProcessing':
      return bertTemplate(...clsAndSep(postProcessor, file), pad);
    case 'RobertaProcessing': {
      const [cls, sep] = clsAndSep(postProcessor, file);
      return { before: [cls], between: [sep, sep], after: [sep], secondSegment: 0, pad };
    }
    case 'Sequence': {
      const parts = asArray(postProcessor['processors'], file);
      return parts.map((part) => pairTemplate(part, pad, file)).find((template) => template !== undefined);
    }
    default:
      // ByteLevel only moves offsets.
      return undefined;
  }
}

interface Item {
  readonly sequence?: string;
  readonly ids: readonly number[];
  readonly segment: number;
}

function fromTemplate(processor: JsonObject, pad: number, file: string): PairTemplate {
  const items = asArray(processor['pair'], file).map((item) => templateItem(item, processor, file));
  const a = items.findIndex((item) => item.sequence === 'A');
  const b = items.findIndex((item) => item.sequence === 'B');
  if (a === -1 || b < a) throw badFile(file, 'its pair template does not put A before B');
  const segment = items[b].segment;
  if (
    items.slice(0, b).some((item) => item.segment !== 0) ||
    items.slice(b).some((item) => item.segment !== segment) ||
    (segment !== 0 && segment !== 1)
  ) {
    throw badFile(file, 'its pair template gives token types other than 0 before B and 0 or 1 from B on');
  }
  const ids = (from: number, to?: number): number[] => items.slice(from, to).flatMap((item) => item.ids);
  return { before: ids(0, a), between: ids(a + 1, b), after: ids(b + 1), secondSegment: segment, pad };
}

function templateItem(item: unknown, processor: JsonObject, file: string): Item {
  const sequence = isJsonObject(item) ? item['Sequence'] : undefined;
  if (isJsonObject(sequence)) {
    return { sequence: String(sequence['id']), ids: [], segment: Number(sequence['type_id']) };
  }
  const special = isJsonObject(item) ? item['SpecialToken'] : undefined;
  if (!isJsonObject(special)) throw badFile(file, 'its pair template holds an unknown item');
  const name = String(special['id']);
  const tokens = processor['special_tokens'];
  const entry = isJsonObject(tokens) && Object.hasOwn(tokens, name) ? tokens[name] : undefined;
  const ids = isJsonObject(entry) ? entry['ids'] : undefined;
  if (!Array.isArray(ids) || !ids.every((id) => Number.isSafeInteger(id))) {
    throw badFile(file, `its pair template uses "${name}" without giving its id`);
  }
  return { ids: ids as number[], segment: Number(special['type_id']) };
}

function clsAndSep(processor: JsonObject, file: string): [number, number] {
  const idOf = (field: string): number => {
    const pair = processor[field];
    const id: unknown = Array.isArray(pair) ? pair[1] : undefined;
    if (typeof id !== 'number') throw badFile(file, `its post-processor does not give the id of "${field}"`);
    return id;
  };
  return [idOf('cls'), idOf('sep')];
}

function asArray(value: unknown, file: string): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw badFile(file, 'its post-processor is incomplete');
}
