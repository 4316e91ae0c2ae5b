import type { Scorer, ScorerOptions, SizeLetter } from '../bert/index.js';
import { parseVariant } from './variant.js';
import { BertQeError } from '../common/errors.js';
import { sizeLetters } from '../bert/sizes.js';
import { AS_PUBLISHED, DEFAULTS } from './defaults.js';
import { type OptionNames, refuseUnknownOptions } from '../common/known-options.js';
import {
  type BertQEOptions,
  METHOD_OPTIONS,
  type PassageChoice,
  settingsFrom,
  badOption,
} from './options.js';
import { eachPhase, type Phase } from './phases.js';

/** A model by letter (T, S, M, B, L), by name or path, or a scorer of your own. */
export type ModelChoice = string | Scorer;

/** A model per phase. Phase one's serves where another is left out. */
export interface PhaseModels {
  /** Chooses best passages (the smallest, if all are named by letters and `passageChoice` is not `exhaustive`). */
  readonly bestPassage?: ModelChoice;
  readonly phaseOne: ModelChoice;
  readonly phaseTwo?: ModelChoice;
  readonly phaseThree?: ModelChoice;
}

/** The models to load, and the way to run them. */
export interface ModelOptions {
  /**
   * `'LMT'`: a size letter per phase, as in the paper's names; one letter is MaxP. Or three models, or one per
   * phase by name. (`'SST'`, which comes with the package.)
   */
  readonly models?: string | readonly [ModelChoice, ModelChoice, ModelChoice] | PhaseModels;
  /**
   * `'as-published'`: the mixture and the numbers of the authors' code. Best passages and chunks are chosen with the
   * general (MS MARCO) models that the letters name, phases one and three score with the `fineTuned` ones of their sizes.
   * If they are not given, kc = m = 10, α = .4, β = .9, and chunks have at most 126 word pieces.
   */
  readonly preset?: 'as-published';
  /** For the preset: the models fine-tuned on the target collection, by size. */
  readonly fineTuned?: Partial<Readonly<Record<SizeLetter, ModelChoice>>>;
  /** The device that models run on (`auto`: CUDA where it can be used, else the CPU). */
  readonly device?: NonNullable<ScorerOptions['device']>;
  /**
   * (`auto`: the fastest that is as good. On a CPU with VNNI or ARM's dot products int8 for models that come with their
   * int8 form, as S does, else fp32; on CUDA fp16; what an export offers.)
   */
  readonly precision?: NonNullable<ScorerOptions['precision']>;
}

/** Options of {@link BertQE.load}. */
export type LoadOptions = ModelOptions & BertQEOptions;

const LOAD_OPTIONS: OptionNames<LoadOptions> = {
  models: true,
  preset: true,
  fineTuned: true,
  device: true,
  precision: true,
  ...METHOD_OPTIONS,
};

/** Refuses misspelt options of {@link BertQE.load}, and of those who hand theirs on to it (`others`). */
export function checkLoadOptions(
  options: object,
  caller = 'BertQE.load',
  others: Readonly<Record<string, true>> = {},
): void {
  refuseUnknownOptions(caller, options, { ...others, ...LOAD_OPTIONS });
}

/** The models and the settings of the method that options of {@link BertQE.load} ask for. */
export function chosenByOptions(
  options: LoadOptions,
  others: Readonly<Record<string, true>> = {},
): { readonly chosen: ChosenModels; readonly settings: BertQEOptions } {
  if (typeof options !== 'object') {
    throw new BertQeError(
      'usage',
      `BertQE.load takes an object, such as { models: 'SST' }, not ${String(options)}.`,
    );
  }
  checkLoadOptions(options, 'BertQE.load', others);
  const given = Object.entries(options).filter(([name]) => Object.hasOwn(METHOD_OPTIONS, name));
  const method: BertQEOptions = {
    ...(options.preset === undefined ? {} : AS_PUBLISHED),
    ...Object.fromEntries(given),
  };
  const chosen = chooseModels(options.models, { ...options, passageChoice: method.passageChoice });
  const settings = { ...method, expansion: chosen.expansion && (method.expansion ?? true) };
  // Options are cheap to check: before a model is loaded.
  settingsFrom(settings);
  return { chosen, settings };
}

const PHASE_NAMES: OptionNames<PhaseModels> = eachPhase(() => true as const);

/** A choice of models, none of them loaded. */
export interface ChosenModels {
  readonly models: Readonly<Record<Phase, ModelChoice>>;
  /** False for a single letter: MaxP. */
  readonly expansion: boolean;
}

interface ChoiceOptions extends Pick<LoadOptions, 'preset' | 'fineTuned'> {
  readonly passageChoice?: PassageChoice | undefined;
}

/** Chooses the model of each phase. */
export function chooseModels(
  models: string | readonly ModelChoice[] | PhaseModels = DEFAULTS.models,
  { preset, fineTuned = {}, passageChoice = DEFAULTS.passageChoice }: ChoiceOptions = {},
): ChosenModels {
  if (preset !== undefined) return asPublished(preset, models, fineTuned);
  if (typeof models === 'string') {
    const { phaseOne, expansion } = parseVariant(models);
    return {
      models: forPhases({ phaseOne, ...expansion }, passageChoice),
      expansion: expansion !== undefined,
    };
  }
  if (isList(models)) {
    if (models.length !== 3) throw badOption(`three models are needed, one per phase, not ${models.length}`);
    const [phaseOne, phaseTwo, phaseThree] = models;
    return { models: forPhases({ phaseOne, phaseTwo, phaseThree }, passageChoice), expansion: true };
  }
  if (typeof models === 'object') refuseUnknownOptions('models', models, PHASE_NAMES);
  return { models: forPhases(models, passageChoice), expansion: true };
}

function asPublished(
  preset: string,
  models: unknown,
  fineTuned: NonNullable<ModelOptions['fineTuned']>,
): ChosenModels {
  if (preset !== 'as-published') throw badOption(`there is no preset "${preset}"; there is as-published`);
  if (typeof models !== 'string')
    throw badOption('the preset as-published takes models as letters, such as LMT');
  const { phaseOne, expansion } = parseVariant(models);
  const tuned = (size: SizeLetter): ModelChoice => {
    const choice = fineTuned[size];
    if (choice !== undefined) return choice;
    throw badOption(
      `the preset as-published needs fineTuned.${size}, the model fine-tuned on your collection`,
    );
  };
  return {
    models: forPhases(
      {
        bestPassage: phaseOne,
        phaseOne: tuned(phaseOne),
        ...(expansion && { phaseTwo: expansion.phaseTwo, phaseThree: tuned(expansion.phaseThree) }),
      },
      'exhaustive',
    ),
    expansion: expansion !== undefined,
  };
}

function forPhases(models: PhaseModels, passageChoice: PassageChoice): Record<Phase, ModelChoice> {
  const { bestPassage, phaseOne, phaseTwo = phaseOne, phaseThree = phaseOne } = models;
  const scoring = [phaseOne, phaseTwo, phaseThree];
  const chooses = passageChoice === 'cascade' ? smallest(scoring) : undefined;
  return { bestPassage: bestPassage ?? chooses ?? phaseOne, phaseOne, phaseTwo, phaseThree };
}

/** The smallest of models that are all named by their size letters. */
function smallest(models: readonly ModelChoice[]): ModelChoice | undefined {
  if (!models.every((model) => (sizeLetters as readonly ModelChoice[]).includes(model))) return undefined;
  return sizeLetters.find((letter) => models.includes(letter));
}

function isList(models: readonly ModelChoice[] | PhaseModels): models is readonly ModelChoice[] {
  return Array.isArray(models);
}
