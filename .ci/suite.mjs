/**
 * Runs a vitest suite: `suite.mjs FOLDER NAME COMMAND...`. Writes "PASSED FAILED" to FOLDER/NAME.counts and appends
 * the failures to FOLDER/failures. On a busy machine a test may run out of time: files with failures are run a second
 * time before they count. Failures of the first run are listed too.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [folder, suite, command, ...args] = process.argv.slice(2);
const report = join(folder, `${suite}.json`);

/** Runs the suite, or some of its files. Returns the number of passed tests of each file, and the failures. */
function run(files = []) {
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(command, [...args, ...reporters, ...files], { stdio: 'inherit' });
  const passed = new Map();
  const failures = [];
  try {
    for (const { name, status, message, assertionResults } of JSON.parse(readFileSync(report, 'utf8'))
      .testResults) {
      const file = relative(process.cwd(), name);
      passed.set(file, assertionResults.filter((test) => test.status === 'passed').length);
      const failed = assertionResults.filter((test) => test.status === 'failed');
      for (const { fullName, failureMessages } of failed)
        failures.push({ file, text: `${fullName}\n${brief(failureMessages[0])}` });
      // A file that cannot be loaded and a hook that fails have no failed test.
      if (status === 'failed' && failed.length === 0) failures.push({ file, text: brief(message) });
    }
  } catch (error) {
    failures.push({ text: `no report: ${error.message}` });
  }
  // An error outside of tests has none either.
  if (status !== 0 && failures.length === 0)
    failures.push({ text: `exit code ${status} without a failed test` });
  return { passed, failures };
}

/** The message and the place in our code where it was thrown. */
function brief(message = '') {
  const lines = message.split('\n').filter((line) => !/node_modules|<anonymous>|node:internal/.test(line));
  return lines
    .slice(0, 8)
    .map((line) => `    ${line}`)
    .join('\n');
}

function tell(heading, failures) {
  for (const { file, text } of failures)
    appendFileSync(join(folder, 'failures'), `${heading}: ${suite}: ${file ?? ''}: ${text}\n`);
}

let { passed, failures } = run();
if (failures.length > 0) {
  tell('FAILED AT FIRST', failures);
  // Without a file to blame, all of them are run again.
  const files = [...new Set(failures.flatMap(({ file }) => file ?? []))];
  console.log(`== ${suite}, once more: ${files.join(' ')}`);
  const again = run(files);
  passed = new Map([...passed, ...again.passed]);
  failures = again.failures;
  tell('FAILED', failures);
}
const total = [...passed.values()].reduce((sum, count) => sum + count, 0);
writeFileSync(join(folder, `${suite}.counts`), `${total} ${failures.length}\n`);
