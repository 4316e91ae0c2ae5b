import type { Command } from '../command.js';
import { checkCommand } from './check.js';
import { demoCommand } from './demo.js';
import { evaluateCommand } from './evaluate.js';
import { experimentCommand } from './experiment.js';
import { flopsCommand } from './flops.js';
import { indexCommand } from './index-command.js';
import { modelsCommand } from './models.js';
import { rerankCommand } from './rerank.js';
import { scoreCommand } from './score.js';
import { searchCommand } from './search.js';
import { serveCommand } from './serve.js';
import { trainCommand } from './train.js';

/** Every sub-command, in the order a user meets them. */
export const commands = [
  demoCommand,
  indexCommand,
  searchCommand,
  rerankCommand,
  evaluateCommand,
  scoreCommand,
  trainCommand,
  modelsCommand,
  experimentCommand,
  serveCommand,
  flopsCommand,
  checkCommand,
] as unknown as readonly Command[];
