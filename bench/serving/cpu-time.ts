import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of a process, in milliseconds. */
export interface CpuTime {
  /** Of the thread that serves. */
  readonly main: number;
  /** Of all others: scoring workers, the garbage collector's helpers. */
  readonly others: number;
}

/** What a process has used so far; Linux tells it per thread, in nanoseconds. */
export function cpuTime(pid: number): CpuTime {
  const folder = `/proc/${pid}/task`;
  let main = 0;
  let others = 0;
  for (const thread of readdirSync(folder)) {
    const [nanoseconds] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ');
    if (Number(thread) === pid) main = Number(nanoseconds) / 1e6;
    else others += Number(nanoseconds) / 1e6;
  }
  return { main, others };
}

/** Runs something and tells the CPU time that processes used meanwhile. */
export async function withCpuTime<T>(
  pids: readonly number[],
  act: () => Promise<T>,
): Promise<{ result: T; cpu: CpuTime[] }> {
  const before = pids.map(cpuTime);
  const result = await act();
  const cpu = pids.map((pid, i) => {
    const { main, others } = cpuTime(pid);
    return { main: main - before[i].main, others: others - before[i].others };
  });
  return { result, cpu };
}
