import fc from 'fast-check';

// Other cases with every run, unless a seed is given.
const { FAST_CHECK_SEED: seed } = process.env;
if (seed !== undefined && seed !== '')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
