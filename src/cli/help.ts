import { alignColumns } from '../common/table/text.js';
import type { Command } from './command.js';
import type { OptionSpec } from './options.js';

/** The text of `bert-qe --help`. */
export function overview(commands: readonly Command[], version: string): string {
  return [
    `bert-qe ${version}: contextual query expansion for document re-ranking`,
    '',
    'Usage: bert-qe COMMAND [OPTIONS]',
    '',
    ...alignColumns(commands.map(({ name, summary }) => [`  ${name}`, summary])),
    '',
    'bert-qe COMMAND --help explains one. Start with: bert-qe demo',
    '',
  ].join('\n');
}

/** The text of `bert-qe COMMAND --help`. */
export function commandHelp(command: Command): string {
  const positionals = command.positionals ?? [];
  const synopsis = positionals.map(({ name, optional, multiple }) => {
    const shown = multiple ? `${name}...` : name;
    return optional ? `[${shown}]` : shown;
  });
  const rows: [string, string][] = Object.entries(command.options).map(([name, spec]) => [
    spec.type === 'boolean' ? `--${name}` : `--${name} ${spec.choices?.join('|') ?? spec.value ?? 'N'}`,
    describe(spec),
  ]);
  const lines = [`Usage: bert-qe ${[command.name, ...synopsis, '[OPTIONS]'].join(' ')}`, '', command.summary];
  if (positionals.length > 0) {
    lines.push('', ...columns(positionals.map(({ name, help }) => [name, help])));
  }
  lines.push('', 'Options:', ...columns(rows));
  if (command.examples) lines.push('', 'Examples:', ...command.examples.map((example) => `  ${example}`));
  return lines.join('\n') + '\n';
}

function describe(spec: OptionSpec): string {
  const notes = [];
  if (spec.multiple) notes.push('repeatable');
  if (spec.default !== undefined && spec.type !== 'boolean') notes.push(`default ${spec.default}`);
  return notes.length > 0 ? `${spec.help} (${notes.join(', ')})` : spec.help;
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(36, Math.max(...rows.map(([left]) => left.length)));
  return rows.map(([left, right]) =>
    left.length > width ? `  ${left}\n  ${' '.repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`,
  );
}
