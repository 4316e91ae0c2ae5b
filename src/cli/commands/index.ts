import type { Command } from '../command.js';

/** Every sub-command, in the order a user meets them. */
export const commands: readonly Command[] = [] as Command[];
