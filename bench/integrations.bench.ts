import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * Runs the tests of integrations and adapters, in their long form with LONG=1, and prints one line for each subject: how many
 * of its tests passed, and the figures that they print.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Subjects, each with the test files that show it. Where none does, the reason. */
const SUBJECTS: readonly (readonly [string, readonly string[] | string])[] = [
  [
    'clients of models and integrations',
    [
      'test/rest/adapters/integration-clients',
      'test/rest/adapters/integration-models',
      'test/rest/adapters/integrations',
    ],
  ],
  ['public documents', ['test/rest/adapters/integration-model-documents']],
  ['requests equal to a peer’s', ['test/domains/integrations/calls/request']],
  ['import of a large document', 'npm run bench -- integration-models measures it'],
  [
    'credentials',
    ['test/domains/integrations/calls/sign-in', 'test/domains/integrations/calls/aws-signature'],
  ],
  ['addresses that are never reached', ['test/domains/integrations/calls/calls']],
  ['hostile documents', ['test/rest/adapters/hostile-documents']],
  ['limits over three processes', ['test/domains/integrations/calls/processes']],
  ['workflows on a document', ['test/rest/workflow_engine/adapter-tasks']],
  [
    'packages',
    [
      'test/rest/adapters/adapter-packages',
      'test/southbound/packages/host',
      'test/southbound/packages/shared-library',
    ],
  ],
  ['a ticket workflow on a generated package', ['test/rest/adapters/generated-package']],
  ['hostile packages', ['test/southbound/packages/hostile']],
  ['calls whose process is killed', ['test/domains/workflow/jobs/adapter-crash']],
  ['coverage of exports', ['test/rest/adapters/adapter-coverage']],
  ['applications that exports name', ['test/rest/workflow_engine/gateway-tasks']],
  [
    'tasks under the names of an adapter',
    ['test/rest/adapters/face-names', 'test/domains/integrations/types/face'],
  ],
  ['release of Node', process.version],
];

type Report = { testResults: { name: string; assertionResults: { status: string; fullName: string }[] }[] };

const files = SUBJECTS.flatMap(([, shown]) => (typeof shown === 'string' ? [] : shown));
const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const output = join(folder, 'report.json');
const run = [
  'vitest',
  'run',
  '--reporter=json',
  '--reporter=default',
  `--outputFile.json=${output}`,
  ...files,
];
// A failed test ends the command with 1; the report says which.
const { stdout } = await promisify(execFile)('npx', run, { cwd: ROOT, maxBuffer: 2 ** 28 }).catch(
  (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
);
const { testResults } = JSON.parse(await readFile(output, 'utf8')) as Report;
await rm(folder, { recursive: true, force: true });

for (const [at, [subject, shown]] of SUBJECTS.entries()) {
  const found = testResults.filter(
    ({ name }) => typeof shown !== 'string' && shown.some((one) => name.includes(`${one}.`)),
  );
  const results = found.flatMap(({ assertionResults }) => assertionResults);
  const passed = results.filter(({ status }) => status === 'passed').length;
  const skipped = results.filter(({ status }) => status === 'pending' || status === 'skipped').length;
  const reported =
    typeof shown === 'string'
      ? shown
      : `${passed} of ${results.length - skipped} tests passed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  process.stdout.write(`${String(at + 1).padStart(2)} ${subject}: ${reported}\n`);
  for (const { status, fullName } of results)
    if (status === 'failed') process.stdout.write(`   failed: ${fullName}\n`);
}
const FIGURES = /^(clients|documents|hostile documents|coverage of|requests|adapter calls|face)\b.*\d/;
for (const line of stdout.split('\n').filter((one) => FIGURES.test(one)))
  process.stdout.write(`   ${line}\n`);
