import type { Command } from '../command.js';
import { checkCommand } from './check.js';
import { evaluateCommand } from './evaluate.js';
import { indexCommand } from './index-command.js';
import { searchCommand } from './search.js';

/** Every sub-command, in the order a user meets them. */
export const commands = [
  indexCommand,
  searchCommand,
  evaluateCommand,
  checkCommand,
] as unknown as readonly Command[];
