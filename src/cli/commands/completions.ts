import { usageError } from '../../common/errors.js';
import { completionScript, shells, type Shell } from '../completions.js';
import { defineCommand, type Command } from '../command.js';

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
      if (!(shells as readonly string[]).includes(shell)) {
        throw usageError(`There are completions for ${shells.join(', ')}, not for "${shell}".`);
      }
      io.stdout.write(completionScript(shell as Shell, await allCommands()));
    },
  });
