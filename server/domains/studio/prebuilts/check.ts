import { DOCUMENT_KINDS } from '#db/document-kinds/kinds.ts';
import { Prebuilt } from '#db/schemas/assets/prebuilt.ts';
import { ComponentType } from '#db/schemas/assets/project.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { ownField } from '#server/kernel/json/objects.ts';
import { issuesOf } from '#server/kernel/validation/zod-issues.ts';

type Path = (string | number)[];

/** The asset kinds of the studio, by the type names that packages use. */
const ASSET_KINDS: Record<string, ComponentType> = Object.fromEntries(
  ComponentType.options.flatMap((kind) => DOCUMENT_KINDS[kind].packaged.map((name) => [name, kind])),
);

/** Other types that a package may contain: installed by other domains, or only kept in the package. */
const OTHER_TYPES = ['automation', 'golden-config', 'integration', 'integration-model', 'service-catalog'];

/** Types of artifacts and bundles: the union of both lists (contract/endpoints#4.12). */
const TYPES = new Set([...Object.keys(ASSET_KINDS), ...OTHER_TYPES]);

/** Returns the kind of asset that a bundle installs; undefined for bundles of other domains. */
export const assetKindOf = (type: string): ComponentType | undefined => ownField(ASSET_KINDS, type);

/** Maximum length of a name: names are indexed. Versions are checked by a regular expression. */
const LONGEST = 255;

const SEMANTIC =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/**
 * Returns all issues of a package with their paths (contract/endpoints#4.12): its shape, its version, and whether
 * manifest and bundles list the same assets. A malformed field does not hide the issues of others.
 *
 * @param path the package's path in the request
 */
export function packageIssues(given: unknown, path: Path): Issue[] {
  const read = Prebuilt.safeParse(given);
  const issues = read.success
    ? []
    : issuesOf(read.error).map((one) => ({ ...one, path: [...path, ...one.path] }));
  const metadata = memberOf(given, 'metadata');
  const report = (at: Path, message: string) =>
    issues.push({ path: [...path, ...at], message, code: 'custom' });
  const name = memberOf(metadata, 'name');
  if (typeof name === 'string' && (name.trim() === '' || name.length > LONGEST)) {
    report(['metadata', 'name'], `must have 1 to ${LONGEST} characters`);
  }
  const version = memberOf(metadata, 'version');
  if (typeof version === 'string' && (version.length > LONGEST || !SEMANTIC.test(version))) {
    report(['metadata', 'version'], 'must be a semantic version such as 1.2.3');
  }
  const artifacts = listOf(memberOf(memberOf(given, 'manifest'), 'artifacts'));
  const bundles = listOf(memberOf(given, 'bundles'));
  for (const [at, type] of artifacts.map((one) => memberOf(one, 'type')).entries()) {
    if (isUnknownType(type)) report(['manifest', 'artifacts', at, 'type'], unknownType(type));
  }
  for (const [at, type] of bundles.map((one) => memberOf(one, 'type')).entries()) {
    if (isUnknownType(type)) report(['bundles', at, 'type'], unknownType(type));
  }
  reportRepeated(artifacts, report);
  reportUnmatched(artifacts, bundles, report);
  return issues;
}

type ReportIssue = (at: Path, message: string) => void;

const isUnknownType = (type: unknown): type is string => typeof type === 'string' && !TYPES.has(type);

const unknownType = (type: string) =>
  `${JSON.stringify(type.slice(0, 100))} must be one of ${[...TYPES].sort().join(', ')}`;

function reportRepeated(artifacts: readonly unknown[], report: ReportIssue): void {
  const seen = new Map<string, number>();
  for (const [at, artifact] of artifacts.entries()) {
    const [type, id] = [memberOf(artifact, 'type'), memberOf(artifact, 'id')];
    if (typeof type !== 'string' || typeof id !== 'string' || id === '') continue;
    const key = JSON.stringify([type, id]);
    const before = seen.get(key);
    if (before !== undefined) {
      report(['manifest', 'artifacts', at, 'id'], `already occurs in manifest.artifacts.${before}`);
    } else seen.set(key, at);
  }
}

/** Reports artifacts and bundles without a counterpart: matched by type and id, else by type and name, each bundle once. */
function reportUnmatched(
  artifacts: readonly unknown[],
  bundles: readonly unknown[],
  report: ReportIssue,
): void {
  const free = new Map<string, Set<number>>();
  for (const [at, bundle] of bundles.entries()) {
    for (const key of keysOfBundle(bundle)) free.set(key, (free.get(key) ?? new Set()).add(at));
  }
  const matched = new Set<number>();
  const open: number[] = [];
  const take = (key: string) => {
    for (const at of free.get(key) ?? []) {
      if (matched.has(at)) continue;
      matched.add(at);
      return true;
    }
    return false;
  };
  for (const [at, artifact] of artifacts.entries()) {
    if (!take(keyOf('id', artifact, memberOf(artifact, 'id')))) open.push(at);
  }
  for (const at of open) {
    const artifact = artifacts[at];
    if (take(keyOf('name', artifact, memberOf(artifact, 'name')))) continue;
    report(
      ['manifest', 'artifacts', at],
      `has no bundle of type ${shown(artifact, 'type')} with the same id or name`,
    );
  }
  for (const at of bundles.keys()) {
    if (matched.has(at)) continue;
    report(
      ['bundles', at],
      `has no artifact of type ${shown(bundles[at], 'type')} with the same id or name in the manifest`,
    );
  }
}

function keysOfBundle(bundle: unknown): string[] {
  const documents = documentsIn(memberOf(bundle, 'data'));
  const ids = documents.flatMap((doc) => [
    memberOf(doc, '_id'),
    memberOf(doc, 'id'),
    memberOf(doc, 'treeId'),
  ]);
  const names = documents.map((doc) => memberOf(doc, 'name'));
  return [
    ...ids.map((id) => keyOf('id', bundle, id)),
    ...names.map((name) => keyOf('name', bundle, name)),
  ].filter((key) => key !== NOTHING);
}

/** Returns the document in a bundle, and those in an export of several versions, as golden configurations have it. */
const documentsIn = (data: unknown): unknown[] => [data, ...listOf(memberOf(data, 'data'))];

/** The key of artifacts and bundles without an id or name: it matches nothing. */
const NOTHING = '';

function keyOf(by: 'id' | 'name', owner: unknown, value: unknown): string {
  const type = memberOf(owner, 'type');
  if (typeof type !== 'string' || typeof value !== 'string' || value === '') return NOTHING;
  // `forms` and `json-forms` are the same type.
  return JSON.stringify([by, type === 'json-forms' ? 'forms' : type, value]);
}

const shown = (owner: unknown, field: string) => {
  const value = memberOf(owner, field);
  return typeof value === 'string' ? value.slice(0, 100) : 'unknown';
};

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
