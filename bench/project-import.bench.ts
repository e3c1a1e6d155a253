import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signIn, startServer, verdict } from './peers.ts';

/** Measures a project file of 600 KB with 60 assets that refer to each other: import, export, import under new ids. */
const WORKFLOWS = 40;
const TRANSFORMATIONS = 20;
const ROUNDS = 5;
const BAR_MS = 1000;

const hex = (n: number, length: number) => n.toString(16).padStart(length, '0');

function projectOf(round: number) {
  const _id = `65a0${hex(round, 20)}`;
  const transformations = Array.from(
    { length: TRANSFORMATIONS },
    (_, at) => `65b0${hex(round, 10)}${hex(at, 10)}`,
  );
  const taskOf = (workflow: number, at: number) =>
    at % 2 === 0
      ? {
          name: 'childJob',
          variables: { incoming: { workflow: `@${_id}: Step ${(workflow + at) % WORKFLOWS}` }, outgoing: {} },
        }
      : {
          name: 'transformation',
          variables: {
            incoming: { tr_id: transformations[(workflow + at) % TRANSFORMATIONS] },
            outgoing: {},
          },
        };
  const workflows = Array.from({ length: WORKFLOWS }, (_, n) => ({
    iid: n,
    type: 'workflow',
    reference: `00000000-0000-4000-8000-${hex(round, 6)}${hex(n, 6)}`,
    folder: `/Folder ${n % 5}`,
    document: {
      name: `Step ${n}`,
      type: 'automation',
      tasks: Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [
          hex(at + 1, 1),
          { ...taskOf(n, at), app: 'WorkFlowEngine', description: `step ${at} `.repeat(25), groups: [] },
        ]),
      ),
      transitions: {},
      groups: [],
    },
  }));
  const others = transformations.map((reference, n) => ({
    iid: WORKFLOWS + n,
    type: 'transformation',
    reference,
    folder: '/',
    document: {
      _id: reference,
      name: `Build ${n}`,
      incoming: [],
      outgoing: [],
      steps: [],
      functions: [],
      comments: [],
    },
  }));
  return { _id, name: `Bench ${round}`, description: '', components: [...workflows, ...others] };
}

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const ours = await startServer('switchyard', { DATA_DIR: dataDir });
const token = await signIn(ours);
const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };

async function timed(path: string, body?: string): Promise<{ ms: number; text: string }> {
  const started = performance.now();
  const answer = await fetch(`${ours.url}/automation-studio/projects${path}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`);
  return { ms: performance.now() - started, text };
}

const best = {
  fresh: Number.POSITIVE_INFINITY,
  again: Number.POSITIVE_INFINITY,
  out: Number.POSITIVE_INFINITY,
};
let size = 0;
for (let round = 0; round < ROUNDS; round++) {
  const project = projectOf(round);
  const body = JSON.stringify({ project });
  size = body.length;
  best.fresh = Math.min(best.fresh, (await timed('/import', body)).ms);
  best.out = Math.min(best.out, (await timed(`/${project._id}/export`)).ms);
  const anew = JSON.stringify({ project, assignNewReferences: true });
  best.again = Math.min(best.again, (await timed('/import', anew)).ms);
}
const line = (label: string, ms: number) => verdict(`${label}, ms`, ms, ms < BAR_MS, `< ${BAR_MS} ms`);
process.stdout.write(`a project of ${WORKFLOWS + TRANSFORMATIONS} assets, ${Math.round(size / 1000)} KB\n`);
line('import under its own ids', best.fresh);
line('import once more under new ids and names', best.again);
line('export', best.out);

ours.stop();
await new Promise((resolve) => setTimeout(resolve, 1000));
await rm(dataDir, { recursive: true, force: true });
