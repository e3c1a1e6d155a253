import type { Node } from '#db/schemas/golden-config/golden-tree.ts';

/** A node with its place: the names from the root down, and the nodes on the way, itself last. */
export type LocatedNode = { node: Node; path: string; line: Node[] };

/** Every node of a tree with its place, parents before their children. */
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
 * The node at a path, which begins with the root's own name; a leading or trailing slash means nothing.
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
 * The tree with the node at `path` changed; everything beside the way to it is the same object as before.
 *
 * @param change gives the new node, or null to take it out with everything below
 * @throws RangeError when there is no such node, or the root is taken out: the caller looks first
 */
export function changeNode(root: Node, path: string, change: (node: Node) => Node | null): Node {
  const [, ...names] = namesOf(path);
  const changed = changeBelow(root, names, change);
  if (!changed) throw new RangeError('the root of a tree cannot be taken out');
  return changed;
}

function changeBelow(node: Node, names: string[], change: (node: Node) => Node | null): Node | null {
  const [next, ...rest] = names;
  if (next === undefined) return change(node);
  const children = node.children ?? [];
  const at = children.findIndex(({ name }) => name === next);
  const child = children[at];
  if (!child) throw new RangeError(`no node ${next} below ${node.name}`);
  const changed = changeBelow(child, rest, change);
  return { ...node, children: changed ? children.with(at, changed) : children.toSpliced(at, 1) };
}

/** The tree with every node replaced by what `change` makes of it; it sees the node, its path and its new children. */
export function mapNodes(root: Node, change: (node: Node, path: string) => Node, above = ''): Node {
  const path = above === '' ? root.name : `${above}/${root.name}`;
  const changed = change(root, path);
  return { ...changed, children: (root.children ?? []).map((child) => mapNodes(child, change, path)) };
}

/** Ids of the specs of a node and of all nodes below. */
export const specIdsOf = (root: Node): string[] =>
  [...walk(root)].flatMap(({ node }) => node.attributes?.configId ?? []);

const namesOf = (path: string) => path.replace(/^\/+|\/+$/g, '').split('/');
