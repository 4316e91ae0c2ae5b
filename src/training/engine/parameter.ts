import { gradientOf } from '../graph/index.js';

/** A weight tensor in training: its values, gradient, and the two moments that Adam keeps. */
export class Parameter {
  readonly gradient: Float32Array<ArrayBuffer>;
  readonly m: Float32Array<ArrayBuffer>;
  readonly v: Float32Array<ArrayBuffer>;

  constructor(
    readonly name: string,
    readonly shape: readonly number[],
    readonly values: Float32Array<ArrayBuffer>,
    /** The factor of the learning rate. */
    readonly rate = 1,
  ) {
    this.gradient = new Float32Array(values.length);
    this.m = new Float32Array(values.length);
    this.v = new Float32Array(values.length);
  }
}

/** A table whose rows are used one by one. It may be used as a matrix too, and has a gradient of that use besides. */
export class Table extends Parameter {
  /** @param rowGradient The output of a training graph with a gradient for every row that was used. */
  constructor(
    name: string,
    shape: readonly number[],
    values: Float32Array<ArrayBuffer>,
    rate = 1,
    readonly rowGradient = gradientOf(name),
  ) {
    super(name, shape, values, rate);
  }

  get width(): number {
    return this.shape[1];
  }

  /** Adds a token's gradient to its row. */
  add(row: number, gradients: Float32Array, from: number): void {
    const { width, gradient } = this;
    for (let i = 0, at = row * width; i < width; i++) gradient[at + i] += gradients[from + i];
  }
}

/** An embedding table, of which a step uses a few rows. */
export class EmbeddingTable extends Table {
  /** Rows with a gradient in this step. */
  readonly touched = new Set<number>();
  /** Rows with a gradient in any step. Other rows have no moments, and only weight decay changes them. */
  readonly moving = new Uint8Array(this.shape[0]);

  override add(row: number, gradients: Float32Array, from: number): void {
    super.add(row, gradients, from);
    this.touched.add(row);
    this.moving[row] = 1;
  }

  /** Finds the moving rows by moments that were read from a checkpoint. */
  findMoving(): void {
    this.moving.fill(0);
    for (const moment of [this.m, this.v]) {
      moment.forEach((value, i) => {
        if (value !== 0) this.moving[Math.floor(i / this.width)] = 1;
      });
    }
  }

  clearGradient(): void {
    for (const row of this.touched) this.gradient.fill(0, row * this.width, (row + 1) * this.width);
    this.touched.clear();
  }
}
