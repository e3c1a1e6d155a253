import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { signIn, startServer, verdict } from './peers.ts';

/**
 * Measures the import of GitHub's OpenAPI document (13 MB, over 1,200 operations), the memory of the service meanwhile, and how
 * long others wait. The document is fetched with npm once.
 */
const PACKAGE = '@octokit/openapi@23.0.2';
const PEERS = fileURLToPath(new URL('../node_modules/.cache/peers', import.meta.url));
const DOCUMENT = join(PEERS, 'node_modules/@octokit/openapi/generated/api.github.com.json');
const ROUNDS = 3;
const BAR_MS = 5000;

async function documentText(): Promise<string | undefined> {
  const read = () => readFile(DOCUMENT, 'utf8').catch(() => undefined);
  const there = await read();
  if (there !== undefined) return there;
  const install = ['i', '--ignore-scripts', '--no-save', '--prefix', PEERS, PACKAGE];
  await promisify(execFile)('npm', install).catch((error: Error) => {
    process.stdout.write(`${PACKAGE} cannot be fetched: ${error.message.split('\n', 1)[0]}\n`);
  });
  return read();
}

async function measure(text: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  const ours = await startServer('switchyard', { DATA_DIR: dataDir });
  const token = await signIn(ours);
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  const call = async (method: string, path: string, body?: string) => {
    const began = performance.now();
    const answer = await fetch(`${ours.url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    const reported = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${reported.slice(0, 300)}`);
    return { ms: performance.now() - began, json: JSON.parse(reported) as never };
  };
  const { rss: idle } = await ours.used();
  let [best, peak, waited, operations] = [Number.POSITIVE_INFINITY, 0, 0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    const document = JSON.parse(text) as { info: { version: string } };
    document.info.version = `${document.info.version}-${round}`;
    const sent = JSON.stringify({ model: document });
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        peak = Math.max(peak, (await ours.used()).rss);
        waited = Math.max(waited, (await call('GET', '/integration-models?limit=1')).ms);
      }
    })();
    const { ms, json } = await call('POST', '/integration-models', sent);
    isOver = true;
    await others;
    best = Math.min(best, ms);
    const { versionId } = (json as { data: { versionId: string } }).data;
    const tasks = await call('GET', `/integration-models/${encodeURIComponent(versionId)}/tasks?limit=1`);
    operations = (tasks.json as { total: number }).total;
  }
  const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
  process.stdout.write(`${operations} operations in ${Math.round(best)} ms, the best of ${ROUNDS}\n`);
  process.stdout.write(`memory of the service: ${mebibytes(idle)} idle, ${mebibytes(peak)} at most\n`);
  process.stdout.write(`longest wait of another request meanwhile: ${Math.round(waited)} ms\n`);
  verdict('import in seconds', best / 1000, best <= BAR_MS, `≤ ${BAR_MS / 1000}`);
  ours.stop();
  await rm(dataDir, { recursive: true, force: true });
}

const text = await documentText();
if (text === undefined) process.stdout.write('nothing was measured\n');
else await measure(text);
