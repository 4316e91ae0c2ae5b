import { findModel, hashModel } from '../../bert/index.js';
import { parseVariant, phases, type ModelChoice, type Phase } from '../../expansion/index.js';
import { isScorerAddress, openRemoteScorer, type RemoteScorer } from '../../remote/index.js';
import { BertQeError } from '../../common/errors.js';
import type { OptionValues } from '../options.js';
import type { JournalInputs } from './rerank-journal.js';

/** Which models run, as the command line names them. */
export const modelOptions = {
  models: {
    type: 'string',
    value: 'LMT',
    default: 'SST',
    help: 'a size letter per phase out of T, S, M, B, L; a single letter is MaxP, without expansion',
  },
  phase1: {
    type: 'string',
    value: 'MODEL',
    help: "phase one's model by letter, name or path, or tei+URL, cohere+URL, oip+URL of a server",
  },
  phase2: { type: 'string', value: 'MODEL', help: "phase two's model" },
  phase3: { type: 'string', value: 'MODEL', help: "phase three's model" },
  'best-passage': {
    type: 'string',
    value: 'MODEL',
    help: "model that chooses the best passages (phase one's)",
  },
  device: {
    type: 'string',
    choices: ['auto', 'cpu', 'webgpu', 'cuda'],
    default: 'auto',
    help: 'where the models run',
  },
  precision: {
    type: 'string',
    choices: ['auto', 'fp32', 'fp16', 'int8'],
    default: 'auto',
    help: 'numbers the models are run with',
  },
} as const;

/** The models of a run: found, but not loaded. */
export interface NamedModels {
  /** Folder of each phase's model, or the address of a server that has it. */
  readonly folders: Readonly<Record<Phase, string>>;
  readonly expansion: boolean;
  /** BERT-QE-SST, or BERT-QE where models are named one by one. */
  readonly name: string;
}

export async function namedModels(options: OptionValues<typeof modelOptions>): Promise<NamedModels> {
  const { phaseOne, expansion, name } = parseVariant(options.models);
  for (const phase of ['phase2', 'phase3'] as const) {
    if (!expansion && options[phase] !== undefined) {
      throw new BertQeError(
        'usage',
        `--${phase} has no effect with --models ${options.models}, which is MaxP; give --models three letters.`,
      );
    }
  }
  const one = options.phase1 ?? phaseOne;
  const chosen: Record<Phase, string> = {
    bestPassage: options['best-passage'] ?? one,
    phaseOne: one,
    phaseTwo: options.phase2 ?? expansion?.phaseTwo ?? one,
    phaseThree: options.phase3 ?? expansion?.phaseThree ?? one,
  };
  const isNamed = [options.phase1, options.phase2, options.phase3].some((choice) => choice !== undefined);
  const folders: Partial<Record<Phase, string>> = {};
  for (const phase of phases) {
    const name = chosen[phase];
    folders[phase] = isScorerAddress(name) ? name : await findModel(name);
  }
  return {
    folders: folders as Record<Phase, string>,
    expansion: expansion !== undefined,
    name: isNamed ? (expansion ? 'BERT-QE' : 'BERT-MaxP') : name,
  };
}

/** What tells each phase's model from any other: the hash of its files, or its address. */
export async function modelInputs({ folders }: NamedModels): Promise<JournalInputs> {
  const hashes = new Map<string, string>();
  const inputs: Record<string, string> = {};
  for (const phase of phases) {
    const folder = folders[phase];
    const hash = hashes.get(folder) ?? (isScorerAddress(folder) ? folder : await hashModel(folder));
    hashes.set(folder, hash);
    inputs[`model of ${phase}`] = hash;
  }
  return inputs;
}

/** A model for each phase, and what ends those that were opened here. */
export interface OpenedModels {
  readonly models: Readonly<Record<Phase, ModelChoice>>;
  close(): Promise<void>;
}

/** Opens the models that are on other machines, each once; folders are left to {@link BertQE.load}. */
export async function openRemoteModels({ folders }: NamedModels, signal: AbortSignal): Promise<OpenedModels> {
  const opened = new Map<string, RemoteScorer>();
  const models: Partial<Record<Phase, ModelChoice>> = {};
  const close = async (): Promise<void> => {
    await Promise.all([...opened.values()].map((scorer) => scorer.close()));
  };
  try {
    for (const phase of phases) {
      const name = folders[phase];
      if (isScorerAddress(name) && !opened.has(name)) opened.set(name, await openRemoteScorer(name, signal));
      models[phase] = opened.get(name) ?? name;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { models: models as Record<Phase, ModelChoice>, close };
}
