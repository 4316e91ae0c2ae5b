/** The policy of the static site: nothing is loaded from elsewhere, and nothing is sent anywhere. */
export const policy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
].join('; ');
