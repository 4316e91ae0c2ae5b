const isWindows = process.platform === 'win32';

/** True where a process can ask another to stop, and where bash runs commands. Windows can only kill. */
export const hasSignals = !isWindows;
export const hasShell = !isWindows;
