import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../common/errors.js';
import { throwReadFailure } from '../common/io-errors.js';
import { badInput, checkId, quote } from './bad-input.js';
import { ByteSource } from './byte-source.js';
import { readLines } from './lines.js';
import { isFile, isFolder } from './walk.js';

/** A fold of cross-validation: ids of the queries for training, for choosing parameters, and for testing. */
export interface Fold {
  readonly train: readonly string[];
  readonly valid: readonly string[];
  readonly test: readonly string[];
}

/**
 * Reads folds: the authors' folder (`1/train_query`, `1/valid_query`, `1/test_query`, …, one id per line), or a
 * JSON file: partitions (`[["301", …], …]`, as Anserini has them), folds (`[{"train", "valid", "test"}]`), or
 * Capreolus' (`{"s1": {"train_qids", "predict": {"dev", "test"}}}`).
 */
export async function readFolds(path: string): Promise<Fold[]> {
  const folds = (await isFolder(path)) ? await readFoldFolder(path) : await readFoldFile(path);
  checkFolds(folds, path);
  return folds;
}

/**
 * Distributes query ids round-robin over partitions, as the authors' folds of GOV2 do: ids in order, numbers by value.
 */
export function roundRobinFolds(ids: Iterable<string>, count = 5): Fold[] {
  const partitions: string[][] = Array.from({ length: count }, () => []);
  [...ids].sort(compareIds).forEach((id, i) => partitions[i % count].push(id));
  return foldsOfPartitions(partitions);
}

/**
 * Makes a fold per partition, which is tested. The partition before it validates, as in CEDR's folds, and the others
 * train. With two partitions, the other one does both.
 */
export function foldsOfPartitions(partitions: readonly (readonly string[])[]): Fold[] {
  const count = partitions.length;
  return partitions.map((test, i) => {
    const before = (i + count - 1) % count;
    const others = partitions.filter((_, k) => k !== i && (k !== before || count === 2));
    return { train: others.flat(), valid: [...partitions[before]], test: [...test] };
  });
}

/** Compares ids: whole numbers by value, others by code unit, numbers first. */
function compareIds(a: string, b: string): number {
  const [isA, isB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isA !== isB) return isA ? -1 : 1;
  return (isA ? Number(a) - Number(b) : 0) || (a < b ? -1 : a > b ? 1 : 0);
}

async function readFoldFolder(folder: string): Promise<Fold[]> {
  const names = await readdir(folder).catch(throwReadFailure(folder));
  const folds: Fold[] = [];
  for (const name of names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))) {
    if (!(await isFile(join(folder, name, 'test_query')))) continue;
    const read = (part: string): Promise<string[]> => readIds(join(folder, name, `${part}_query`));
    folds.push({ train: await read('train'), valid: await read('valid'), test: await read('test') });
  }
  if (folds.length > 0) return folds;
  throw badInput(
    { file: folder },
    'the folder holds no folds',
    'Expected are sub-folders 1, 2, … with files train_query, valid_query and test_query, one query id per line.',
  );
}

async function readIds(path: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { text, line } of readLines(ByteSource.open(path))) {
    const id = text.trim();
    if (id !== '') ids.push(checkId(id, 'query', { file: path, line }));
  }
  return ids;
}

async function readFoldFile(path: string): Promise<Fold[]> {
  const source = ByteSource.open(path);
  const text = (await source.readAll()).toString('utf8');
  const file = source.name;
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw badInput({ file }, `not valid JSON (${reasonOf(error)})`, 'Mend the file.', error);
  }
  if (Array.isArray(value) && value.length > 1 && value.every(Array.isArray)) {
    return foldsOfPartitions(value.map((ids, i) => idList(ids, file, `partition ${i + 1}`)));
  }
  const entries = Object.entries((value ?? {}) as Record<string, unknown>);
  if (typeof value === 'object' && entries.length > 0) {
    return entries.map(([name, fold]) =>
      toFold(fold, file, `fold ${Array.isArray(value) ? Number(name) + 1 : name}`),
    );
  }
  throw badInput(
    { file },
    'no folds were found',
    'Write [["id", …], …], one array of query ids per partition.',
  );
}

function toFold(value: unknown, file: string, name: string): Fold {
  const fold = (value ?? {}) as Record<string, unknown>;
  const predict = (fold.predict ?? {}) as Record<string, unknown>;
  return {
    train: idList(fold.train ?? fold.train_qids, file, `${name}, train`),
    valid: idList(fold.valid ?? predict.dev, file, `${name}, valid`),
    test: idList(fold.test ?? predict.test, file, `${name}, test`),
  };
}

/** Ids without repetition: some published folds sample with replacement. */
function idList(value: unknown, file: string, name: string): string[] {
  if (!Array.isArray(value) || !value.every(isId)) {
    throw badInput(
      { file },
      `${name}: an array of query ids was expected`,
      'Write {"train": ["301", …], "valid": […], "test": […]} for each fold.',
    );
  }
  return [...new Set(value.map((id) => checkId(String(id), 'query', { file })))];
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** Refuses folds in which a query is both trained on and tested, or tested twice. */
function checkFolds(folds: readonly Fold[], file: string): void {
  const tested = new Map<string, number>();
  folds.forEach((fold, index) => {
    const seen = new Set([...fold.train, ...fold.valid]);
    for (const id of fold.test) {
      if (seen.has(id)) {
        throw badInput(
          { file },
          `fold ${index + 1}: query ${quote(id)} is tested but also used for training or validation`,
          'Remove it from one of them.',
        );
      }
      const before = tested.get(id);
      if (before !== undefined) {
        throw badInput(
          { file },
          `query ${quote(id)} is tested in fold ${before + 1} and again in fold ${index + 1}`,
          'Test every query once.',
        );
      }
      tested.set(id, index);
    }
  });
}

/**
 * The partitions of Robust04's 250 topics that the paper follows (Dai and Callan, SIGIR 2019; Huston and Croft, 2014),
 * in the order of CEDR's folds.
 */
const robust04 = [
  '302 303 309 316 317 319 323 331 336 341 356 357 370 373 378 381 383 392 394 406 410 411 414 426 428 ' +
    '433 447 448 601 607 608 612 617 619 635 641 642 646 647 654 656 662 665 669 670 679 684 690 692 700',
  '301 308 312 322 327 328 338 343 348 349 352 360 364 365 369 371 374 386 390 397 403 419 422 423 424 ' +
    '432 434 440 446 602 604 611 623 624 627 632 638 643 651 652 663 674 675 678 680 683 688 689 695 698',
  '306 307 313 321 324 326 334 347 351 354 358 361 362 363 376 380 382 396 404 413 415 417 427 436 437 ' +
    '439 444 445 449 450 603 605 606 614 620 622 626 628 631 637 644 648 661 664 666 671 677 685 687 693',
  '320 325 330 332 335 337 342 344 350 355 368 377 379 387 393 398 402 405 407 408 412 420 421 425 430 ' +
    '431 435 438 616 618 625 630 633 636 639 649 650 653 655 657 659 667 668 672 673 676 682 686 691 697',
  '304 305 310 311 314 315 318 329 333 339 340 345 346 353 359 366 367 372 375 384 385 388 389 391 395 ' +
    '399 400 401 409 416 418 429 441 442 443 609 610 613 615 621 629 634 640 645 658 660 681 694 696 699',
];

/** Folds that have a name: the topics of Robust04 and GOV2 as the paper partitions them. */
const published: Readonly<Record<string, () => Fold[]>> = {
  robust04: () => foldsOfPartitions(robust04.map((ids) => ids.split(' '))),
  gov2: () => roundRobinFolds(Array.from({ length: 150 }, (_, i) => String(701 + i))),
};

/** The published folds of this name; undefined where there are none. */
export function publishedFolds(name: string): Fold[] | undefined {
  return Object.hasOwn(published, name) ? published[name]() : undefined;
}
