import { readFileSync } from 'node:fs';

/** Ticks of CPU time that processes have had: of all, and of some. */
interface Ticks {
  readonly all: number;
  readonly own: number;
  readonly passed: number;
}

/**
 * Measures the share of all cores' time, 0 to 1, that other processes than these had meanwhile. Reads as 0 where the system
 * does not tell.
 */
export class OtherWork {
  #last: Ticks;

  constructor(private readonly pids: readonly number[]) {
    this.#last = this.#read();
  }

  /** The share since the last call. */
  take(): number {
    const now = this.#read();
    const last = this.#last;
    this.#last = now;
    const passed = now.passed - last.passed;
    return passed > 0 ? Math.max(0, (now.all - last.all - (now.own - last.own)) / passed) : 0;
  }

  #read(): Ticks {
    try {
      // cpu user nice system idle iowait irq softirq steal …
      const [first] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
      const [user, nice, system, idle, wait, irq, soft, steal] = first.split(/\s+/).slice(1).map(Number);
      const all = user + nice + system;
      return { all, own: this.#own(), passed: all + idle + wait + irq + soft + steal };
    } catch {
      return { all: 0, own: 0, passed: 0 };
    }
  }

  #own(): number {
    let ticks = 0;
    for (const pid of this.pids) {
      // After the name in brackets: state, and eleventh and twelfth after it user and system time.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    }
    return ticks;
  }
}
