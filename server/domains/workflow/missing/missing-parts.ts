import { DOCUMENT_KINDS, wordWithin } from '#db/document-kinds/kinds.ts';
import type { Missing, MissingProvider } from '#db/schemas/assets/missing.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { bareName, projectOf } from '#server/domains/assets/index.ts';
import { isOurs } from '../tasks/catalogue.ts';

/** Operations that no part of this installation runs: tasks that are alike, counted. */
export type UnknownTasks = {
  app: string | null;
  name: string | null;
  location: string | null;
  locationType: string | null;
  uses: number;
  usedBy: Missing['usedBy'];
};

/** References to a document that does not exist. */
export type UnknownDocument = {
  kind: ComponentType | null;
  target: string;
  uses: number;
  usedBy: Missing['usedBy'];
};

/** Maximum number of places, and of operations, that one entry names. */
export const MOST_PLACES = 10;
const MOST_TASKS = 20;

/** Returns the document that an adapter type was made of, by the name of the type: `<info.title>:<info.version>`. */
function documentOf(type: string): { title: string; version: string } | null {
  const at = type.lastIndexOf(':');
  const title = type.slice(0, Math.max(at, 0));
  const version = type.slice(at + 1);
  return title.trim() === '' || version.trim() === '' ? null : { title, version };
}

type Part = Pick<Missing, 'kind' | 'name' | 'message' | 'providedBy'>;

/** Returns the part of the platform that would run a task. */
function partOf(
  { app, name, location, locationType }: UnknownTasks,
  adapterTypes: ReadonlySet<string>,
): Part {
  if (location !== 'Adapter' && location !== 'Broker') return applicationOf(app ?? '', name ?? '');
  const type = locationType || app || '';
  const isKnown = adapterTypes.has(app ?? '');
  const document = documentOf(type);
  if (document) {
    const { title, version } = document;
    return {
      kind: 'integration',
      name: type,
      message: isKnown
        ? `The OpenAPI document ${title}, version ${version}, lacks these tasks: replace it with one that has them, or replace them in the workflow`
        : `Import the OpenAPI document ${title}, version ${version}, and create an integration of it`,
      providedBy: [{ type: 'openapi', title, version }],
    };
  }
  return {
    kind: 'adapter',
    name: type,
    message: isKnown
      ? `Adapter type ${type} lacks these tasks: use a package or an OpenAPI document that has them, or replace them in the workflow`
      : `Create an adapter of type ${type}: from an adapter package that exports ${type}, or from the OpenAPI document of that system`,
    providedBy: [{ type: 'package', export: type }, { type: 'openapi' }],
  };
}

const applicationOf = (app: string, task: string): Part => ({
  kind: 'application',
  name: app,
  message:
    app === ''
      ? `Set the application of task ${task} in the workflow`
      : isOurs(app)
        ? `Application ${app} of this release lacks these tasks: use another release, or replace them in the workflow`
        : `This release has no application ${app}: use a release that has it, or replace its tasks in the workflow`,
  providedBy: app === '' ? [] : [{ type: 'application', name: app }],
});

/**
 * Returns the missing adapters, integrations and applications, each once, by kind and name.
 *
 * @param adapterTypes adapter types that exist, though without these tasks
 */
export function missingParts(unknown: readonly UnknownTasks[], adapterTypes: ReadonlySet<string>): Missing[] {
  const parts = new Map<string, { missing: Missing; tasks: Set<string> }>();
  for (const one of unknown) {
    const part = partOf(one, adapterTypes);
    const key = `${part.kind} ${part.name}`;
    const known = parts.get(key) ?? {
      missing: { ...part, uses: 0, usedBy: [] },
      tasks: new Set<string>(),
    };
    known.missing.uses += one.uses;
    known.missing.usedBy = [...known.missing.usedBy, ...one.usedBy].sort(inOrder).slice(0, MOST_PLACES);
    if (one.name) known.tasks.add(one.name);
    parts.set(key, known);
  }
  return [...parts.values()].map(({ missing, tasks }) => ({
    ...missing,
    tasks: [...tasks].sort(compare).slice(0, MOST_TASKS),
  }));
}

/**
 * Returns the entry for a document that does not exist.
 *
 * @param candidates workflows of the same project that may be the missing one
 */
export function missingDocument(
  { kind, target, uses, usedBy }: UnknownDocument,
  candidates: Missing['candidates'] = [],
): Missing {
  return {
    kind: 'document',
    type: kind,
    name: target,
    message: documentMessage(kind, target, candidates),
    providedBy: [providerOf(kind, target)],
    ...(candidates.length > 0 && { candidates }),
    uses,
    usedBy: [...usedBy].sort(inOrder).slice(0, MOST_PLACES),
  };
}

function documentMessage(
  kind: ComponentType | null,
  target: string,
  candidates: NonNullable<Missing['candidates']>,
): string {
  const word = kind ? wordWithin(kind) : 'document';
  const wanted = `Import ${word} ${bareName(target)}`;
  const [only] = candidates;
  if (!only) return projectOf(target) === null ? wanted : `${wanted} with its project ${projectOf(target)}`;
  const named = candidates.map(({ name }) => name).join(', ');
  return candidates.length === 1
    ? `${wanted}, or use ${named} instead: import the project again with relink, or change the reference`
    : `${wanted}, or change the reference to one of ${named}`;
}

/** Returns the import that would provide a document: by id where references to its kind are ids. */
function providerOf(kind: ComponentType | null, target: string): MissingProvider {
  const isId = kind !== null && !DOCUMENT_KINDS[kind].namedById && /^[0-9a-f]{24}$/i.test(target);
  const project = projectOf(target);
  return {
    type: 'import',
    kind: kind ?? 'document',
    ...(isId ? { _id: target } : { name: bareName(target) }),
    ...(project !== null && { project }),
  };
}

/** Returns entries in the order of lists: by kind, then by name. */
export const sorted = (missing: readonly Missing[]): Missing[] =>
  [...missing].sort(
    (a, b) =>
      ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) ||
      compare(a.type ?? '', b.type ?? '') ||
      compare(a.name, b.name),
  );

const ORDER = ['adapter', 'integration', 'application', 'document'];

const inOrder = (a: Missing['usedBy'][number], b: Missing['usedBy'][number]) =>
  compare(a.name, b.name) || compare(a._id ?? '', b._id ?? '') || compare(a.task ?? '', b.task ?? '');

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
