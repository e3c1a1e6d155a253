import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export type OpenApiDocument = {
  info: { title: string; version: string };
  paths?: Record<string, Record<string, unknown>>;
  [member: string]: unknown;
};

const require = createRequire(import.meta.url);
const EXAMPLES = dirname(require.resolve('@readme/oas-examples/package.json'));

/** Beside the checkout, or one folder up when the checkout is a worktree. */
const BESIDE = ['../../../../shared/data/openapi', '../../../../../shared/data/openapi']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .filter(existsSync)
  .slice(0, 1);

const jsonIn = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({
      file: `${folder.split('/').slice(-2).join('/')}/${file}`,
      document: JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as OpenApiDocument,
    }));

/** Public documents: the examples of a development dependency, and those that lie beside the checkout, if any. */
export const publicDocuments = () => [
  ...['2.0', '3.0', '3.1'].flatMap((version) => jsonIn(`${EXAMPLES}/${version}/json`)),
  ...BESIDE.flatMap(jsonIn),
];

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/** Returns how many operations a document has; a path that refers to another one has that one's. */
export function countOperations(document: OpenApiDocument): number {
  const partAt = (reference: string) =>
    reference
      .slice(2)
      .split('/')
      .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, document);
  return Object.values(document.paths ?? {})
    .map((item) => (typeof item.$ref === 'string' ? partAt(item.$ref) : item))
    .reduce((count, item) => count + Object.keys(item).filter((name) => METHODS.has(name)).length, 0);
}
