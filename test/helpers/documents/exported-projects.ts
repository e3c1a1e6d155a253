import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExportedProject } from '#db/schemas/assets/project.ts';

/** Beside the checkout, or one folder up when the checkout is a worktree. */
const folder = ['../../../../shared/data/exports/projects', '../../../../../shared/data/exports/projects']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

/** The folder of real project files; undefined where none lies beside the checkout. */
export const exportsFolder = (): string | undefined => folder;

/** Real project files, which no one here wrote; empty where none lie beside the checkout. */
export const realExports = (): { file: string; project: ExportedProject }[] =>
  folder === undefined
    ? []
    : readdirSync(folder)
        .filter((file) => file.endsWith('.json'))
        .sort()
        .map((file) => ({ file, project: JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) }));

/** Members that say when and by whom a document was made, or what it is called on one system alone. */
const STAMPS = new Set([
  'created',
  'createdBy',
  'created_by',
  'lastUpdated',
  'lastUpdatedBy',
  'last_updated',
  'last_updated_by',
  'iid',
  'referencedComponentHashes',
]);

/**
 * A project file as what it says: without stamps, and with every id of its own written as its place in the file, so
 * that the files of two systems can be compared.
 */
export function toldOf(project: ExportedProject): unknown {
  const names = new Map<string, string>();
  if (project._id) names.set(project._id, '<project>');
  for (const [at, { reference }] of (project.components ?? []).entries()) {
    if (!reference.startsWith('@')) names.set(reference, `<component ${at}>`);
  }
  const named = (text: string) => {
    const own = names.get(text);
    if (own) return own;
    const scope = /^@([0-9a-f]{24}): /.exec(text)?.[1];
    return scope && names.has(scope) ? text.replace(scope, '<project>') : text;
  };
  // A function that was copied into a transformation names its source; that is kept as it was and not resolved.
  const isCopied = (member: string, inside: string) => inside === 'functions' && member === '_id';
  const walk = (value: unknown, inside = '', isTop = false): unknown => {
    if (typeof value === 'string') return named(value);
    if (Array.isArray(value)) return value.map((one) => walk(one, inside));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([member]) => !STAMPS.has(member) || (member === 'iid' && !isTop))
        .map(([member, one]) => [member, isCopied(member, inside) ? '' : walk(one, member)]),
    );
  };
  return walk(project, '', true);
}
