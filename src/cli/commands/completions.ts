import { usageError } from '../../common/errors.js';
import { defineCommand, type Command, type PositionalSpec } from '../command.js';
import type { OptionSpec } from '../options.js';

/** The shells, each with its script; scripts follow from the option tables alone. */
const scripts: Readonly<Record<string, (commands: readonly Command[]) => string>> = { bash, zsh, fish };
const shells = Object.keys(scripts);

/** The command that prints the completions of all commands. */
export const completionsCommand = (allCommands: () => Promise<Command[]>) =>
  defineCommand({
    name: 'completions',
    summary: 'Print a script that completes commands, options and values in your shell.',
    positionals: [{ name: 'SHELL', help: shells.join(', '), choices: shells }],
    options: {},
    examples: [
      'source <(bert-qe completions bash)        # in ~/.bashrc',
      'source <(bert-qe completions zsh)         # in ~/.zshrc, after compinit',
      'bert-qe completions fish | source         # in ~/.config/fish/config.fish',
    ],
    async run({ positionals: [shell], io }) {
      if (!Object.hasOwn(scripts, shell)) {
        throw usageError(`There are completions for ${shells.join(', ')}, not for "${shell}".`);
      }
      io.stdout.write(scripts[shell](await allCommands()));
    },
  });

/** The values of an option or argument that has a list of them; otherwise file names are offered. */
function choicesOf({ choices }: OptionSpec | PositionalSpec): string {
  return choices?.join(' ') ?? '';
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const options = Object.entries(command.options);
    const listed = options.filter(([, spec]) => spec.choices);
    const free = options.filter(([, spec]) => spec.type !== 'boolean' && !spec.choices);
    const values = [
      ...listed.map(([name, spec]) => `        --${name}) words='${choicesOf(spec)}' options='' ;;`),
      ...(free.length > 0 ? [`        ${free.map(([name]) => `--${name}`).join('|')}) return ;;`] : []),
    ];
    const first = command.positionals?.[0];
    return [
      `    ${command.name})`,
      `      options='${[...options.map(([name]) => `--${name}`), '--help'].join(' ')}'`,
      ...(first ? [`      [ "$COMP_CWORD" -eq 2 ] && words='${choicesOf(first)}' arguments=1`] : []),
      ...(values.length > 0 ? ['      case $previous in', ...values, '      esac'] : []),
      '      ;;',
    ].join('\n');
  });
  // With "-o default", the shell completes file names where the function offers nothing.
  return `# Completions of bert-qe for bash: source <(bert-qe completions bash)
_bert_qe() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words='' options='' arguments=''
  # --option=value is three words.
  if [ "$word" = = ]; then word=''
  elif [ "$previous" = = ]; then previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')} --help --version' -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case $word in
    -*) words=$options ;;
    '') [ -n "$words$arguments" ] || words=$options ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _bert_qe bert-qe
`;
}

function zsh(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const options = Object.entries(command.options).map(([name, spec]) => {
      const help = `[${escape(spec.help)}]`;
      if (spec.type === 'boolean') return `--${name}${help}`;
      return `${spec.multiple ? '*' : ''}--${name}=${help}${zshValue(spec.value ?? name, spec)}`;
    });
    const positionals = (command.positionals ?? []).map(
      (spec, i) => `${spec.multiple ? '*' : i + 1}${zshValue(spec.name, spec)}`,
    );
    return `    ${command.name}) _arguments -S ${[...options, ...positionals].map(quote).join(' ')} ;;`;
  });
  return `#compdef bert-qe
# Completions of bert-qe for zsh: source <(bert-qe completions zsh)
_bert_qe() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _bert_qe ]; then _bert_qe "$@"; else compdef _bert_qe bert-qe; fi
`;
}

function zshValue(label: string, spec: OptionSpec | PositionalSpec): string {
  return `:${escape(label)}:${spec.choices ? `(${choicesOf(spec)})` : '_files'}`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const within = `complete -c bert-qe -n '__fish_seen_subcommand_from ${command.name}'`;
    const options = Object.entries(command.options).map(([name, spec]) => {
      const values = spec.choices ? ` -x -a '${choicesOf(spec)}'` : spec.type === 'boolean' ? '' : ' -r';
      return `${within} -l ${name}${values} -d ${quote(spec.help)}`;
    });
    const positionals = (command.positionals ?? [])
      .filter(({ choices }) => choices)
      .map((spec) => `${within} -f -a '${choicesOf(spec)}'`);
    return [
      `complete -c bert-qe -n __fish_use_subcommand -f -a ${command.name} -d ${quote(command.summary)}`,
      ...positionals,
      ...options,
    ];
  });
  return `# Completions of bert-qe for fish: bert-qe completions fish | source\n${lines.join('\n')}\n`;
}

/** Escapes what has a meaning in the specifications of zsh's _arguments. */
function escape(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

/** A word in single quotes; a quote inside it is written so that all three shells read it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
