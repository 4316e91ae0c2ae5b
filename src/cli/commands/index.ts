import type { Command } from '../command.js';
import { checkCommand } from './check-command.js';
import { indexCommand } from './index-command.js';
import { searchCommand } from './search-command.js';

/** Every sub-command, in the order a user meets them. */
export const commands = [indexCommand, searchCommand, checkCommand] as unknown as readonly Command[];
