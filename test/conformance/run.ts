import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { casesOf } from './case.ts';
import { componentsIn, coverageLines, coverageOf } from './coverage.ts';
import { outcomes, summary } from './outcomes.ts';

const USE = `npm run --silent conformance -- FILE.jsonl … [--failures]
npm run --silent conformance -- --exports FOLDER

Runs recorded cases of other products through our engine. Prints passed/total of each kind, then of all; with
--failures every case that is missed, and the first place where ours differs.
With --exports, validates the workflows of the exported projects in a folder: how many have only known tasks, how many
start, and which tasks are not known.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    failures: { type: 'boolean', default: false },
    exports: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const hasWork = positionals.length > 0 || values.exports !== undefined;
if (values.help || !hasWork) {
  process.stdout.write(USE);
  process.exit(values.help ? 0 : 64);
}
const files = await Promise.all(positionals.map((file) => readFile(file, 'utf8')));
if (files.length > 0)
  process.stdout.write(`${summary(outcomes(files.flatMap(casesOf)), values.failures).join('\n')}\n`);
if (values.exports !== undefined) {
  const reported = existsSync(values.exports)
    ? coverageLines(coverageOf(await componentsIn(values.exports)))
    : [`exports: absent (looked for ${values.exports}); nothing was counted`];
  process.stdout.write(`${reported.join('\n')}\n`);
}
