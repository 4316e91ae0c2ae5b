import type { Command } from '../command.js';

type Loader = () => Promise<Command>;

/** A command of any options, in the type that the command line uses. */
function load<M>(module: Promise<M>, pick: (module: M) => unknown): Promise<Command> {
  return module.then((loaded) => pick(loaded) as Command);
}

/**
 * Every sub-command, in the order of the help. Each is loaded when it is called, so that `evaluate` does not wait for a
 * web server and two native libraries.
 */
export const commands: Readonly<Record<string, Loader>> = {
  demo: () => load(import('./demo.js'), (module) => module.demoCommand),
  index: () => load(import('./index-command.js'), (module) => module.indexCommand),
  search: () => load(import('./search.js'), (module) => module.searchCommand),
  rerank: () => load(import('./rerank.js'), (module) => module.rerankCommand),
  evaluate: () => load(import('./evaluate.js'), (module) => module.evaluateCommand),
  score: () => load(import('./score.js'), (module) => module.scoreCommand),
  train: () => load(import('./train.js'), (module) => module.trainCommand),
  device: () => load(import('./device.js'), (module) => module.deviceCommand),
  models: () => load(import('./models.js'), (module) => module.modelsCommand),
  experiment: () => load(import('./experiment.js'), (module) => module.experimentCommand),
  serve: () => load(import('./serve.js'), (module) => module.serveCommand),
  mcp: () => load(import('./mcp.js'), (module) => module.mcpCommand),
  fleet: () => load(import('./fleet.js'), (module) => module.fleetCommand),
  flops: () => load(import('./flops.js'), (module) => module.flopsCommand),
  check: () => load(import('./check.js'), (module) => module.checkCommand),
  completions: () => load(import('./completions.js'), (module) => module.completionsCommand(allCommands)),
};

/** Every sub-command, loaded. */
export function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(commands).map((load) => load()));
}
