/**
 * Loaded into a process before its own program (`node --import`): kills it as soon as a file has grown beyond a size.
 * Whoever watches from outside is late when the machine is busy.
 */
import { statSync } from 'node:fs';

const { DIE_FILE, DIE_SIZE } = process.env;
const watch = setInterval(() => {
  const size = statSync(DIE_FILE, { throwIfNoEntry: false })?.size ?? 0;
  if (size > Number(DIE_SIZE)) process.kill(process.pid, 'SIGKILL');
}, 1);
watch.unref();
