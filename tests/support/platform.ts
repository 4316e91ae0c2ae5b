const isWindows = process.platform === 'win32';

/** True where a process can ask another to stop. Windows can only kill. */
export const hasSignals = !isWindows;

/** True where bash runs commands. */
export const hasShell = !isWindows;
