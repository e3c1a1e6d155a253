import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/**
 * Returns the OpenAPI document of this code. Writing it takes seconds of CPU time, so that the first process stores it beside its
 * bundle, whose folder no other code shares (compile.mjs), and later ones read it. Sources that are not bundled have no such
 * folder, and some processes may not write there: those write the document each time.
 *
 * @param write returns the document as JSON text
 */
export async function storedOpenApi(write: () => Promise<string>): Promise<string> {
  if (!import.meta.filename.endsWith('.mjs')) return write();
  const path = join(import.meta.dirname, 'openapi.json');
  const stored = await readFile(path, 'utf8').catch(() => '');
  // A file that a loss of power has cut off is written again.
  if (stored.endsWith('}')) return stored;
  const text = await write();
  const draft = `${path}-${process.pid}-${threadId}`;
  await writeFile(draft, text)
    .then(() => rename(draft, path))
    .catch(() => rm(draft, { force: true }));
  return text;
}
