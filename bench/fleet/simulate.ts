/** The bound of a fleet: the work itself, the queue, the document store, or the last query that is still running. */
export interface FleetModel {
  /** Seconds of recorded jobs; jobs of the simulation are drawn from these. */
  readonly jobSeconds: readonly number[];
  readonly jobs: number;
  /** Seconds that the queue is busy with one job; it does one thing at a time. */
  readonly queueSeconds: number;
  /** Seconds that the store is busy with the texts of one job, and how many it serves at a time. */
  readonly storeSeconds: number;
  readonly storeParallel: number;
  readonly seed: number;
}

export interface SimulatedFleet {
  readonly workers: number;
  readonly seconds: number;
  readonly speedup: number;
  /** Share of the workers' time in which they work. */
  readonly busy: number;
  readonly bound: 'work' | 'queue' | 'store' | 'stragglers';
}

/** Jobs in the order of the queue; each takes the queue, then the store, then its worker. */
export function simulate(model: FleetModel, workers: number): SimulatedFleet {
  const random = generator(model.seed);
  const costs = Array.from(
    { length: model.jobs },
    () => model.jobSeconds[Math.floor(random() * model.jobSeconds.length)],
  );
  const free = new Float64Array(workers);
  const store = new Float64Array(model.storeParallel);
  let queue = 0;
  for (const cost of costs) {
    const worker = earliest(free);
    queue = Math.max(queue, free[worker]) + model.queueSeconds;
    const server = earliest(store);
    store[server] = Math.max(store[server], queue) + model.storeSeconds;
    free[worker] = store[server] + cost;
  }
  const work = costs.reduce((sum, cost) => sum + cost, 0);
  const alone = work + model.jobs * (model.queueSeconds + model.storeSeconds);
  const seconds = free.reduce((latest, at) => Math.max(latest, at), 0);
  const bounds = {
    work: work / workers,
    queue: model.jobs * model.queueSeconds,
    store: (model.jobs * model.storeSeconds) / model.storeParallel,
    stragglers: costs.reduce((longest, cost) => Math.max(longest, cost), 0),
  };
  const [[bound]] = Object.entries(bounds).sort(([, a], [, b]) => b - a) as [
    SimulatedFleet['bound'],
    number,
  ][];
  return { workers, seconds, speedup: alone / seconds, busy: work / (workers * seconds), bound };
}

function earliest(times: Float64Array): number {
  let best = 0;
  for (let i = 1; i < times.length; i++) if (times[i] < times[best]) best = i;
  return best;
}

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
