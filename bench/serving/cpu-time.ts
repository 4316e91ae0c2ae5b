import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of a process, in milliseconds. */
export interface CpuTime {
  /** Of the thread that serves. */
  readonly main: number;
  /** Time that the thread waited for a core while it had work. */
  readonly mainWaited: number;
  /** Of all others: scoring workers, the garbage collector's helpers. */
  readonly others: number;
}

/** CPU time of a process so far. Linux reports it per thread, in nanoseconds. */
export function cpuTime(pid: number): CpuTime {
  const folder = `/proc/${pid}/task`;
  let main = 0;
  let mainWaited = 0;
  let others = 0;
  for (const thread of readdirSync(folder)) {
    const [ran, waited] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8')
      .split(' ')
      .map((nanoseconds) => Number(nanoseconds) / 1e6);
    if (Number(thread) === pid) [main, mainWaited] = [ran, waited];
    else others += ran;
  }
  return { main, mainWaited, others };
}

/** Runs something and measures the CPU time that processes use meanwhile. */
export async function withCpuTime<T>(
  pids: readonly number[],
  act: () => Promise<T>,
): Promise<{ result: T; cpu: CpuTime[] }> {
  const before = pids.map(cpuTime);
  const result = await act();
  const cpu = pids.map((pid, i) => {
    const { main, mainWaited, others } = cpuTime(pid);
    return {
      main: main - before[i].main,
      mainWaited: mainWaited - before[i].mainWaited,
      others: others - before[i].others,
    };
  });
  return { result, cpu };
}
