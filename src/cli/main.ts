import { BertQeError, reasonOf, usageError } from '../common/errors.js';
import { clip, printable } from '../common/clip.js';
import { closest } from '../common/closest.js';
import type { Command, Io } from './command.js';
import { allCommands, commands } from './commands/index.js';
import { commandHelp, overview } from './help.js';
import { parseArguments } from './options.js';
import { packageVersion } from '../common/package-files.js';

/** Runs a command line and returns the exit code: 0 done, 1 failed, 2 bad usage or input, 130 interrupted. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  try {
    const [name, ...rest] = args;
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      (name === undefined ? io.stderr : io.stdout).write(overview(await allCommands(), packageVersion()));
      return name === undefined ? 2 : 0;
    }
    if (name === '--version' || name === '-v') {
      io.stdout.write(`${packageVersion()}\n`);
      return 0;
    }
    await runCommand(await find(name), rest, io);
    return 0;
  } catch (error) {
    return report(error, io);
  }
}

async function find(name: string): Promise<Command> {
  if (Object.hasOwn(commands, name)) return commands[name]();
  const near = closest(name, Object.keys(commands));
  const hint = near ? `did you mean "${near}"?` : 'bert-qe --help lists them.';
  throw usageError(`Unknown command "${name}"; ${hint}`);
}

async function runCommand(command: Command, args: readonly string[], io: Io): Promise<void> {
  const { options, positionals, help } = parseArguments(args, command.options);
  if (help) {
    io.stdout.write(commandHelp(command));
    return;
  }
  const specs = command.positionals ?? [];
  const required = specs.filter((spec) => !spec.optional);
  if (positionals.length < required.length) {
    const missing = required[positionals.length];
    throw usageError(
      `bert-qe ${command.name} needs ${missing.name} (${missing.help}); see bert-qe ${command.name} --help.`,
    );
  }
  if (positionals.length > specs.length && !specs.at(-1)?.multiple) {
    throw usageError(`bert-qe ${command.name} takes no argument "${positionals[specs.length]}".`);
  }
  await command.run({ options: options as never, positionals, io });
}

/** Characters of an error that are shown; lists of names may be long. */
const messageCharacters = 4000;

/** Writes an error as one line, with a stack only for bugs, and returns the exit code. */
function report(error: unknown, io: Io): number {
  if (io.signal.aborted) {
    io.stderr.write('bert-qe: interrupted\n');
    return 130;
  }
  if (error instanceof BertQeError) {
    // It may quote a file of someone else.
    io.stderr.write(`bert-qe: ${clip(printable(error.message), messageCharacters)}\n`);
    return error.exitCode;
  }
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOSPC') {
    io.stderr.write(
      `bert-qe: the disk is full (${reasonOf(error)}); free some space and run the command again.\n`,
    );
    return 1;
  }
  io.stderr.write(`bert-qe: unexpected failure: ${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
}
