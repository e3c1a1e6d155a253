import type { SQL } from 'drizzle-orm';
import { sql } from '#db/statement.ts';
import type { Shown } from './compile.ts';
import type { ListQuery } from './query.ts';
import { isObject } from './read.ts';
import { textArray } from './row-expressions.ts';

/** The returned part of each document: the database selects top-level fields, `prune`, where needed, removes nested ones. */
export type Projection = { shown: Shown; prune: Prune | undefined };
type Prune = (text: string) => string;

/** Fields to keep or omit: `true` for a whole field, or the fields below it. */
type Tree = Map<string, Tree | true>;

/**
 * Returns the projection of a query. `_id` is always kept. A dotted field reaches through arrays into each element; a
 * field that is requested both whole and in parts is whole.
 *
 * @see contract/lifecycle#0.3
 */
export function projectionOf({ include, exclude }: Pick<ListQuery, 'include' | 'exclude'>): Projection {
  if (include) {
    const tree = treeOf([...include, '_id']);
    const roots = textArray([...tree.keys()]);
    return { shown: (doc) => fieldsOf(doc, roots), prune: pruning(tree, pick) };
  }
  if (!exclude) return { shown: (doc) => doc, prune: undefined };
  const tree = treeOf(exclude.filter((name) => name !== '_id'));
  const whole = [...tree].filter(([, below]) => below === true).map(([name]) => name);
  const shown = (doc: SQL) =>
    sql`case when jsonb_typeof(${doc}) = 'object' then ${doc} - ${textArray(whole)} else ${doc} end`;
  return { shown, prune: pruning(tree, leaveOut) };
}

const fieldsOf = (doc: SQL, names: SQL): SQL =>
  sql`case when jsonb_typeof(${doc}) = 'object' then (
    select coalesce(jsonb_object_agg(field.key, field.value), '{}'::jsonb)
    from jsonb_each(${doc}) as field where field.key = any(${names})
  ) else ${doc} end`;

function treeOf(names: readonly string[]): Tree {
  const tree: Tree = new Map();
  for (const name of names) {
    const path = name.split('.');
    let at = tree;
    for (const [index, key] of path.entries()) {
      const below = at.get(key);
      if (below === true) break;
      if (index === path.length - 1) {
        at.set(key, true);
        break;
      }
      const next: Tree = below ?? new Map();
      at.set(key, next);
      at = next;
    }
  }
  return tree;
}

/** Returns a function that prunes a document's text; undefined when the tree has no nested fields. */
function pruning(tree: Tree, cut: (value: unknown, tree: Tree) => unknown): Prune | undefined {
  const deep = [...tree.values()].some((below) => below !== true);
  return deep ? (text) => JSON.stringify(cut(JSON.parse(text), tree)) : undefined;
}

function pick(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((one) => pick(one, tree)).filter((one) => one !== undefined);
  if (!isObject(value)) return undefined;
  const kept: [string, unknown][] = [];
  for (const [key, field] of Object.entries(value)) {
    const below = tree.get(key);
    const left = below === true ? field : below && pick(field, below);
    if (left !== undefined) kept.push([key, left]);
  }
  return Object.fromEntries(kept);
}

function leaveOut(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((one) => leaveOut(one, tree));
  if (!isObject(value)) return value;
  const left: [string, unknown][] = [];
  for (const [key, field] of Object.entries(value)) {
    const below = tree.get(key);
    if (below !== true) left.push([key, below ? leaveOut(field, below) : field]);
  }
  return Object.fromEntries(left);
}
