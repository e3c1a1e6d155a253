import { readdir } from 'node:fs/promises';

const HELP = `npm run bench [-- name … [devices]]

Each bench runs ours beside a peer in the same run and prints both and their ratio. A number is how many devices a fleet has
(fleet, fleet-backups), as BENCH_DEVICES. Names: `;

const files = (await readdir(new URL('.', import.meta.url))).filter((file) => file.endsWith('.bench.ts'));
const names = files.map((file) => file.replace('.bench.ts', ''));
const given = process.argv.slice(2);
const isNumber = (word: string) => /^\d+$/.test(word);
const wanted = given.filter((word) => !isNumber(word));
const devices = given.find(isNumber);
if (devices !== undefined) process.env.BENCH_DEVICES = devices;

if (wanted.includes('--help') || wanted.some((name) => !names.includes(name))) {
  process.stdout.write(`${HELP}${names.join(', ')}\n`);
  process.exit(wanted.includes('--help') ? 0 : 64);
}
for (const name of names.filter((one) => wanted.length === 0 || wanted.includes(one))) {
  process.stdout.write(`\n== ${name}\n`);
  await import(`./${name}.bench.ts`);
}
process.exit(0);
