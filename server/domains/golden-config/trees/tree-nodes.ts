import type { Node } from '#db/schemas/golden-config/golden-tree.ts';
import { withoutOuterSlashes } from '#server/kernel/text/without-final.ts';

/** A node with its path (the names from the root down) and its line (the nodes from the root to itself). */
export type LocatedNode = { node: Node; path: string; line: Node[] };

/** Yields every node of a tree with its path, parents before their children. */
export function* walk(root: Node): Generator<LocatedNode> {
  const open: LocatedNode[] = [{ node: root, path: root.name, line: [root] }];
  for (let next = open.pop(); next; next = open.pop()) {
    yield next;
    const { path, line } = next;
    for (const child of (next.node.children ?? []).toReversed()) {
      open.push({ node: child, path: `${path}/${child.name}`, line: [...line, child] });
    }
  }
}

/**
 * Returns the node at a path, which begins with the root's own name; leading and trailing slashes are ignored.
 *
 * @returns undefined when there is none
 */
export function findNode(root: Node, path: string): LocatedNode | undefined {
  const [first, ...names] = namesOf(path);
  if (first !== root.name) return undefined;
  const line = [root];
  let node = root;
  for (const name of names) {
    const child = node.children?.find((one) => one.name === name);
    if (!child) return undefined;
    line.push(child);
    node = child;
  }
  return { node, path: line.map(({ name }) => name).join('/'), line };
}

/**
 * Returns the tree with the node at `path` changed; nodes that are not on the path remain the same objects.
 *
 * @param change returns the new node, or null to remove the node with everything below
 * @throws RangeError when the node does not exist or is the root and would be removed: the caller checks first
 */
export function changeNode(root: Node, path: string, change: (node: Node) => Node | null): Node {
  const [, ...names] = namesOf(path);
  const changed = changeBelow(root, names, change);
  if (!changed) throw new RangeError('the root of a tree cannot be removed');
  return changed;
}

function changeBelow(node: Node, names: string[], change: (node: Node) => Node | null): Node | null {
  const [next, ...rest] = names;
  if (next === undefined) return change(node);
  const children = node.children ?? [];
  const at = children.findIndex(({ name }) => name === next);
  const child = children[at];
  if (!child) throw new RangeError(`node ${next} does not exist below ${node.name}`);
  const changed = changeBelow(child, rest, change);
  return { ...node, children: changed ? children.with(at, changed) : children.toSpliced(at, 1) };
}

/** Returns the tree with every node replaced by the result of `change`, which receives the node and its path. */
export function mapNodes(root: Node, change: (node: Node, path: string) => Node, above = ''): Node {
  const path = above === '' ? root.name : `${above}/${root.name}`;
  const changed = change(root, path);
  return { ...changed, children: (root.children ?? []).map((child) => mapNodes(child, change, path)) };
}

/** Returns the spec ids of a node and of all nodes below. */
export const specIdsOf = (root: Node): string[] =>
  [...walk(root)].flatMap(({ node }) => node.attributes?.configId ?? []);

const namesOf = (path: string) => withoutOuterSlashes(path).split('/');
