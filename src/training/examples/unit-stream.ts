import { Random } from '../random.js';

/** Gives every step its units: epoch after epoch, each in an order of its own that follows from the seed. */
export class UnitStream<Unit> {
  readonly perStep: number;
  /** Units of an epoch; epochs differ in what units hold, not in how many they are. */
  readonly size: number;
  readonly #seed: number;
  #epoch: { readonly number: number; readonly units: readonly Unit[] } | undefined;

  constructor(
    /** The units of an epoch, counted from 0: anew each time, for what is drawn at random. */
    private readonly unitsOf: (epoch: number) => Unit[],
    { batch, groupSize, seed }: { readonly batch: number; readonly groupSize: number; readonly seed: number },
  ) {
    this.perStep = Math.max(1, Math.floor(batch / groupSize));
    this.size = unitsOf(0).length;
    this.#seed = seed;
  }

  /** Steps that see every unit so many times. */
  stepsIn(epochs: number): number {
    return Math.max(1, Math.floor((epochs * this.size) / this.perStep));
  }

  at(step: number): Unit[] {
    return Array.from({ length: this.perStep }, (_, i) => {
      const place = step * this.perStep + i;
      return this.#inEpoch(Math.floor(place / this.size))[place % this.size];
    });
  }

  #inEpoch(number: number): readonly Unit[] {
    if (this.#epoch?.number !== number) {
      const units = new Random('order', this.#seed, number).shuffle(this.unitsOf(number));
      this.#epoch = { number, units };
    }
    return this.#epoch.units;
  }
}
