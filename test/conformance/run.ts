import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { casesOf } from './case.ts';
import { outcomes, summary } from './outcomes.ts';

const USE = `npm run --silent conformance -- FILE.jsonl … [--failures]

Runs recorded cases of other products through our engine. Prints passed/total of each kind, then of all; with
--failures every case that is missed, and the first place where ours differs.
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { failures: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
if (values.help || positionals.length === 0) {
  process.stdout.write(USE);
  process.exit(values.help ? 0 : 64);
}
const files = await Promise.all(positionals.map((file) => readFile(file, 'utf8')));
process.stdout.write(`${summary(outcomes(files.flatMap(casesOf)), values.failures).join('\n')}\n`);
