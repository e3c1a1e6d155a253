import type { ImportedTreeVersion, Node, TreeImport } from '#db/schemas/golden-config/golden-tree.ts';
import { assertConsistent } from '#server/domains/identity/index.ts';
import { nodeNameFault, segmentFault, treeNameFault } from '#server/kernel/documents/names.ts';
import { isStated, wholeGbac } from '#server/kernel/documents/new-document.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { issue, issuesIn } from '#server/kernel/validation/document-issues.ts';
import { suggestion } from '#server/kernel/validation/nearest-name.ts';
import { dialectNames, dialectOf } from '../parsing/dialect.ts';
import { walk } from './tree-nodes.ts';

/** One tree to import: its versions, its requested name, and whether it overwrites an existing tree. */
export type Element = {
  versions: ImportedTreeVersion[];
  first: ImportedTreeVersion;
  name: string;
  overwrite: boolean;
};

/**
 * Reads the elements of an import and collects all issues (contract/lifecycle#4.7): versions that disagree on name or
 * device type, repeated or unusable names, contradictory access lists.
 *
 * @param trees `trees` of the request; the paths of the issues begin there
 */
export function readElements(trees: readonly TreeImport[]): { elements: Element[]; issues: Issue[] } {
  const issues: Issue[] = [];
  const elements: Element[] = [];
  const replaced = new Map<string, number>();
  for (const [at, { data, newName, overwrite, overWrite }] of trees.entries()) {
    const [first] = data;
    if (!first) continue; // the schema requires at least one
    const path = ['trees', at];
    const name = newName ?? first.name;
    const fault = treeNameFault(name);
    if (fault)
      issues.push(issue([...path, ...(newName === undefined ? ['data', 0, 'name'] : ['newName'])], fault));
    if (overwrite !== undefined && overWrite !== undefined && overwrite !== overWrite) {
      issues.push(issue([...path, 'overWrite'], 'differs from overwrite: send one of them', 'ambiguous'));
    }
    const element = { versions: data, first, name, overwrite: overwrite ?? overWrite ?? false };
    if (element.overwrite) {
      const other = replaced.get(name);
      if (other !== undefined) {
        issues.push(issue([...path, 'overwrite'], `overwrites the same tree as trees.${other}`));
      }
      replaced.set(name, at);
    }
    elements.push(element);
    issues.push(...versionIssues(data, first, path));
  }
  return { elements, issues };
}

/** Returns an issue for each version that names a parser that does not exist. */
export const parserIssues = (elements: readonly Element[], known: ReadonlySet<string>): Issue[] =>
  elements.flatMap(({ versions }, at) =>
    versions.flatMap(({ deviceType, root }, version) => {
      const path = ['trees', at, 'data', version];
      const own = known.has(deviceType)
        ? []
        : [issue([...path, 'deviceType'], noParser(deviceType), 'unknown_parser')];
      return [...own, ...sectionIssues(root, [...path, 'root'], known)];
    }),
  );

/** Returns an issue for each section of the nodes of a version whose parser does not exist. */
const sectionIssues = (node: Node, path: (string | number)[], known: ReadonlySet<string>): Issue[] => [
  ...sectionNames(node).flatMap((name) =>
    parserNamed(name, known) === undefined
      ? [issue([...path, 'attributes', 'export', 'sections', name], noParser(name), 'unknown_parser')]
      : [],
  ),
  ...(node.children ?? []).flatMap((child, at) => sectionIssues(child, [...path, 'children', at], known)),
];

const sectionNames = ({ attributes }: Node): string[] => Object.keys(attributes?.export?.sections ?? {});

/** Returns the names of all parsers that a version of an import uses. */
export const parsersOf = ({ deviceType, root }: ImportedTreeVersion): string[] => [
  deviceType,
  ...[...walk(root)].flatMap(({ node }) => sectionNames(node)),
];

/** Returns the names under which the parser of a device type may be stored: the type itself and the grammar's name. */
export const parserNames = (deviceType: string): string[] =>
  [deviceType, dialectOf(deviceType)?.name ?? deviceType].filter((one, at, all) => all.indexOf(one) === at);

/** Returns the parser that a device type names, directly or by its name in other products; undefined when there is none. */
export const parserNamed = (deviceType: string, known: ReadonlySet<string>): string | undefined =>
  parserNames(deviceType).find((one) => known.has(one));

/** Returns the message for a device type without a parser of that name. */
export const noParser = (deviceType: string) =>
  `no config parser is named ${JSON.stringify(deviceType.slice(0, 100))}${suggestion(deviceType, dialectNames())}`;

function versionIssues(
  versions: readonly ImportedTreeVersion[],
  first: ImportedTreeVersion,
  above: (string | number)[],
): Issue[] {
  const issues: Issue[] = [];
  const names = new Set<string>();
  const stated = versions.find(({ gbac }) => isStated(gbac));
  for (const [at, given] of versions.entries()) {
    const path = [...above, 'data', at];
    if (given.name !== first.name) {
      issues.push(issue([...path, 'name'], 'differs from the tree name in the first version'));
    }
    if (given.deviceType !== first.deviceType) {
      issues.push(issue([...path, 'deviceType'], 'differs from the device type in the first version'));
    }
    const fault = segmentFault(given.version);
    if (fault) issues.push(issue([...path, 'version'], fault));
    if (names.has(given.version))
      issues.push(issue([...path, 'version'], 'is also the name of another version'));
    names.add(given.version);
    issues.push(...issuesIn(() => assertConsistent(given.gbac, [...path, 'gbac'])));
    if (isStated(given.gbac) && !sameLists(given, stated)) {
      issues.push(
        issue(
          [...path, 'gbac'],
          'differs from the access list of the previous version: a tree has one access list',
        ),
      );
    }
    issues.push(...nodeIssues(given.root, [...path, 'root']));
  }
  return issues;
}

function nodeIssues(node: Node, path: (string | number)[]): Issue[] {
  const issues: Issue[] = [];
  const fault = nodeNameFault(node.name);
  if (fault) issues.push(issue([...path, 'name'], fault));
  const names = new Set<string>();
  for (const [at, child] of (node.children ?? []).entries()) {
    const below = [...path, 'children', at];
    if (names.has(child.name)) issues.push(issue([...below, 'name'], 'is also the name of a sibling'));
    names.add(child.name);
    issues.push(...nodeIssues(child, below));
  }
  return issues;
}

/** Returns whether two versions have the same groups in their access lists, in any order. */
function sameLists(one: ImportedTreeVersion, other: ImportedTreeVersion | undefined): boolean {
  const [a, b] = [wholeGbac(one.gbac), wholeGbac(other?.gbac)];
  return sorted(a.read) === sorted(b.read) && sorted(a.write) === sorted(b.write);
}

const sorted = (groups: readonly string[] | undefined) => JSON.stringify([...new Set(groups)].sort());
