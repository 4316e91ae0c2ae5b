const local = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Whether a server that listens on loopback is asked under a name of its own. A foreign name means that some web page
 * had its name resolve to this machine in order to read what is here (DNS rebinding).
 */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && local.test(host);
}

export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || address.startsWith('127.');
}
