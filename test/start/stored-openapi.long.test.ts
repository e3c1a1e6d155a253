import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { compile } from '#server/app/compile.mjs';

// A copy of the compiled code below the same packages: other tests read the document of the original meanwhile.
const original = dirname((await compile({ main: 'server/app/work/thread-entries.ts' }))('main').at(-1) ?? '');
const folder = `${original}-${process.pid}`;
await cp(original, folder, { recursive: true });
afterAll(() => rm(folder, { recursive: true }));
const stored = join(folder, 'openapi.json');

/** Returns the OpenAPI document as a new thread of this code sends it. */
async function documentOfThread(): Promise<string> {
  const thread = new Worker(join(folder, 'thread.mjs'), {
    argv: ['calculations'],
    workerData: { beat: new SharedArrayBuffer(8) },
  });
  try {
    return await new Promise<string>((resolve, reject) => {
      thread.on('error', reject);
      thread.on('message', (message: 'ready' | { output: string } | { fault: string }) => {
        if (message === 'ready') thread.postMessage({ name: 'openApi', input: null });
        else if ('output' in message) resolve(message.output);
        else reject(new Error(message.fault));
      });
    });
  } finally {
    await thread.terminate();
  }
}

test('the OpenAPI document is read beside the compiled code, and written there when it is cut off', async () => {
  await writeFile(stored, '{"openapi":"stored"}');
  expect(await documentOfThread()).toBe('{"openapi":"stored"}');

  await writeFile(stored, '{"openapi":"sto');
  const written = await documentOfThread();
  expect(JSON.parse(written)).toHaveProperty('paths');
  expect(await readFile(stored, 'utf8')).toBe(written);
});
