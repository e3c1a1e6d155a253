import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FIRST, KINDS, type Kind } from './growth-kinds.ts';
import { measuredTable } from './growth-table.ts';
import { signIn, startServer } from './peers.ts';
import { openPeerDatabase } from './servers/peer.ts';

/**
 * Measures what a page, a filtered page, one document and a new document cost while each kind of document grows from ten to a
 * million (BENCH_SIZES: other numbers, separated by commas; BENCH_KINDS: some kinds only), over HTTP with one client, and
 * writes their rows in the table of docs/scale.md. Documents are copies of one that was made over HTTP, so that triggers, columns and indexes
 * are those of real ones.
 */
const SIZES = (process.env.BENCH_SIZES ?? '10,1000,100000,1000000').split(',').map(Number);
const WANTED = process.env.BENCH_KINDS?.split(',');
const ROUNDS = 9;
const CHUNK = 50_000;
const PAGE = new URL('../docs/scale.md', import.meta.url);

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
process.env.BENCH_DATA_DIR = dataDir;
const ours = await startServer('switchyard', { DATA_DIR: dataDir });
process.once('exit', () => ours.stop());
const token = await signIn(ours);
const sql = await openPeerDatabase(1);

async function call(method: string, path: string, body?: unknown) {
  const began = performance.now();
  const answer = await fetch(ours.url + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return { ms: performance.now() - began, text };
}

/** Returns the best of some rounds, in ms: on a machine that others use, the best is the one that others disturbed least. */
async function best(run: (round: number) => Promise<{ ms: number }>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) least = Math.min(least, (await run(round)).ms);
  return least;
}

/** Adds copies of the kind's first document until the table has `size` rows. */
async function grow({ table, named, id, dated = [], numbered }: Kind, size: number): Promise<void> {
  const columns = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER' and column_name not in ('id', 'doc')`;
  const others = columns.map(({ name }) => `, "${name}"`).join('');
  const [{ n: stored } = { n: 0 }] = await sql<{ n: number }[]>`select count(*)::int as n from ${sql(table)}`;
  const newId = id === 'uuid' ? `md5('g' || n)::uuid::text` : `lpad(to_hex(4294967296 + n), 24, '0')`;
  const dates = dated.map(
    (name) =>
      `, '${name}', to_char(timestamp '2024-01-01' + n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  );
  const number = numbered ? `, '${numbered}', 1000000 + n` : '';
  for (let from = stored; from < size; from += CHUNK) {
    await sql.unsafe(`
      insert into ${table} (id, doc${others})
      select made, doc || jsonb_build_object('_id', made, '${named}', 'Grown ' || left(md5(n::text), 8) || ' ' || n${dates.join('')}${number})
        || case when doc ? 'id' then jsonb_build_object('id', made) else '{}' end${others}
      from (select * from ${table} order by id desc limit 1) as one,
        (select n, ${newId} as made from generate_series(${from + 1}, ${Math.min(size, from + CHUNK)}) n) as numbers`);
  }
  await sql.unsafe(`vacuum analyze ${table}`);
}

async function measure(kind: Kind, size: number) {
  const { list, get, create, named, table } = kind;
  const [one] = await sql<{ name: string; id: string }[]>`
    select doc ->> ${named} as name, id from ${sql(table)} where doc ->> ${named} like 'Grown%' limit 1`;
  const ask = ({ method, path, body }: ReturnType<Kind['list']>) => call(method, path, body);
  const text = one?.name ?? '';
  const of = async (run: false | ((round: number) => ReturnType<Kind['list']>) | undefined) =>
    run ? await best((round) => ask(run(round))) : null;
  return {
    kind: kind.name,
    size,
    page: await of(() => list()),
    filtered: await of(kind.filter && (() => list(text))),
    get: await of(one && get && (() => get(one))),
    create: await of(create && ((round) => create(`New ${size} ${round}`))),
  };
}

await call(FIRST.method, FIRST.path, FIRST.body);
const results: Awaited<ReturnType<typeof measure>>[] = [];
for (const kind of KINDS.filter(({ name }) => !WANTED || WANTED.includes(name))) {
  const { method, path, body } = kind.create?.('Second') ?? kind.list();
  await call(method, path, body);
  for (const size of SIZES) {
    const began = performance.now();
    await grow(kind, size);
    const grown = ((performance.now() - began) / 1000).toFixed(1);
    const one = await measure(kind, size);
    results.push(one);
    const shown = [one.page, one.filtered, one.get, one.create].map((ms) => ms?.toFixed(1) ?? '–');
    process.stdout.write(
      `${kind.name.padEnd(20)} ${String(size).padStart(9)}: page ${shown[0]}, filtered ${shown[1]}, get ${shown[2]}, create ${shown[3]} ms (grown in ${grown} s)\n`,
    );
  }
  // Each kind is measured with the others small.
  await sql.unsafe(`delete from ${kind.table} where doc ->> '${kind.named}' like 'Grown%'`);
}
await sql.end();
ours.stop();
const page = await readFile(PAGE, 'utf8');
await writeFile(
  PAGE,
  page.replace(
    /(<!-- growth -->\n)([\s\S]*)(<!-- \/growth -->)/,
    (_, begin, table, end) => `${begin}\n${measuredTable(results, table)}\n\n${end}`,
  ),
);
process.stdout.write(`written: ${pathToFileURL(PAGE.pathname).href}\n`);
await new Promise((resolve) => setTimeout(resolve, 1000));
await rm(dataDir, { recursive: true, force: true });
