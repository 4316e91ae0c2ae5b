import type { Command } from '../command.js';

/**
 * Every sub-command, in the order of the help. Each is loaded when it is called, so that `evaluate` does not wait for a
 * web server and two native libraries.
 */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./demo.js')).demoCommand,
  index: async () => (await import('./index-command.js')).indexCommand,
  search: async () => (await import('./search.js')).searchCommand,
  rerank: async () => (await import('./rerank.js')).rerankCommand,
  evaluate: async () => (await import('./evaluate.js')).evaluateCommand,
  score: async () => (await import('./score.js')).scoreCommand,
  train: async () => (await import('./train.js')).trainCommand,
  device: async () => (await import('./device.js')).deviceCommand,
  models: async () => (await import('./models.js')).modelsCommand,
  experiment: async () => (await import('./experiment.js')).experimentCommand,
  serve: async () => (await import('./serve.js')).serveCommand,
  mcp: async () => (await import('./mcp.js')).mcpCommand,
  fleet: async () => (await import('./fleet.js')).fleetCommand,
  flops: async () => (await import('./flops.js')).flopsCommand,
  check: async () => (await import('./check.js')).checkCommand,
  completions: async () => (await import('./completions.js')).completionsCommand(allCommands),
};

/** Every sub-command, loaded. */
export function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(commands).map((load) => load()));
}
