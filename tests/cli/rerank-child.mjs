// Runs `bert-qe rerank` from the build in a process of its own, which a test may kill.
const { parseArguments } = await import('../../dist/cli/options.js');
const { rerankCommand } = await import('../../dist/cli/commands/rerank.js');
const { BertQeError } = await import('../../dist/errors.js');

const { stdout, stderr } = process;
try {
  const { options, positionals } = parseArguments(process.argv.slice(2), rerankCommand.options);
  await rerankCommand.run({
    options,
    positionals,
    io: { stdout, stderr, signal: new AbortController().signal },
  });
} catch (error) {
  if (!(error instanceof BertQeError)) throw error;
  stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
