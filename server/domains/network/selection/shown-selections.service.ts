import { sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { rows } from '#db/client.ts';
import { deviceOrigins } from '#db/device-origins.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { Selection } from '#db/schemas/network/selection.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { MASK } from '#server/kernel/secrets/redact.ts';

/** Stands for the names of devices that do not exist for the reader. */
const HIDDEN = MASK.password;

type Names = readonly string[] | undefined;

/** The lists of a selection that name devices, by their paths. */
function listsOf({ names, exclude }: Selection): [path: string[], list: readonly string[]][] {
  const lists: [string[], Names][] = [
    [['names'], names],
    Array.isArray(exclude) ? [['exclude'], exclude] : [['exclude', 'names'], exclude?.names],
  ];
  return lists.flatMap(([path, list]) => (list === undefined ? [] : [[path, list]]));
}

/**
 * Returns documents with selections as the caller may see them: one mask stands for all names of devices that do not exist
 * for the caller. Patterns to exclude are no names.
 */
export async function shownSelections<Doc extends { selection: Selection }>(
  { db, principal }: Pick<ReadContext, 'db' | 'principal'>,
  docs: readonly Doc[],
): Promise<Doc[]> {
  const visible = mayRead(deviceOrigins, principal);
  const named = docs.flatMap(({ selection }) => listsOf(selection).flatMap(([, list]) => [...list]));
  if (!visible || named.length === 0) return [...docs];
  const { name } = deviceOrigins;
  const found = await rows<{ name: string }>(
    db,
    sql`select distinct ${name} as name from ${deviceOrigins}
        where ${name} = any(${textArray([...new Set(named)])}) and ${visible}`,
  );
  const seen = new Set(found.map((one) => one.name));
  return docs.map((doc) => ({ ...doc, selection: without(doc.selection, (one) => !seen.has(one)) }));
}

/** Returns one document with a selection as the caller may see it. */
export async function shownSelection<Doc extends { selection: Selection }>(
  ctx: Pick<ReadContext, 'db' | 'principal'>,
  doc: Doc,
): Promise<Doc> {
  const [shown = doc] = await shownSelections(ctx, [doc]);
  return shown;
}

const isPattern = (entry: string) => /[*?]/.test(entry);

function without(selection: Selection, isHidden: (name: string) => boolean): Selection {
  const shown = (list: readonly string[]) => {
    const left = list.filter((entry) => !isHidden(entry));
    return left.length === list.length ? left : [...left, HIDDEN];
  };
  const shownOrPattern = (list: readonly string[]) => {
    const left = shown(list.filter((entry) => !isPattern(entry)));
    return [...list.filter(isPattern), ...left];
  };
  const { names, exclude } = selection;
  return {
    ...selection,
    ...(names && { names: shown(names) }),
    ...(Array.isArray(exclude) && { exclude: shownOrPattern(exclude) }),
    ...(exclude &&
      !Array.isArray(exclude) &&
      exclude.names && { exclude: { ...exclude, names: shown(exclude.names) } }),
  };
}

/**
 * Returns the issues of a selection that was sent back with masks: which devices they stand for is not known any more.
 *
 * @param path of the selection in the request
 */
export const maskedNameIssues = (selection: Selection, path: readonly string[]): Issue[] =>
  listsOf(selection).flatMap(([at, list]) =>
    list.flatMap((name, index) =>
      name === HIDDEN
        ? [
            {
              path: [...path, ...at, index],
              message:
                'stands for devices that you may not see, or that do not exist: leave the selection out, or choose devices anew',
              code: 'masked_name',
            },
          ]
        : [],
    ),
  );
