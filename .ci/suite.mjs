/**
 * Runs a vitest suite: `suite.mjs FOLDER NAME COMMAND...`. Writes "PASSED FAILED" to FOLDER/NAME.counts, and appends
 * what failed to FOLDER/failures. On a busy machine a test may fail for want of time: files with failures are run once
 * more before they count; what failed at first is told all the same.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [folder, suite, command, ...args] = process.argv.slice(2);
const report = join(folder, `${suite}.json`);

/** Runs the suite, or some files of it: how many passed in each file, and what failed. */
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
      // A file that cannot be loaded, or a hook that fails, has no failed test to show for it.
      if (status === 'failed' && failed.length === 0) failures.push({ file, text: brief(message) });
    }
  } catch (error) {
    failures.push({ text: `there is no report: ${error.message}` });
  }
  // Nor has an error that no test waited for.
  if (status !== 0 && failures.length === 0)
    failures.push({ text: `exit code ${status} without a failed test` });
  return { passed, failures };
}

/** The message, and where in our code it was thrown. */
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
  // Where no file is to blame, all are run again.
  const files = [...new Set(failures.flatMap(({ file }) => file ?? []))];
  console.log(`== ${suite}, once more: ${files.join(' ')}`);
  const again = run(files);
  passed = new Map([...passed, ...again.passed]);
  failures = again.failures;
  tell('FAILED', failures);
}
const total = [...passed.values()].reduce((sum, count) => sum + count, 0);
writeFileSync(join(folder, `${suite}.counts`), `${total} ${failures.length}\n`);
