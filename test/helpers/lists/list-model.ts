import { fieldOf } from '#db/list/fields.ts';
import type { Condition, ListQuery, Sort, Value } from '#db/list/query.ts';
import { Router } from '../devices/routers.ts';

type Document = { _id: string; [member: string]: unknown };

/** What a list answers, said as plainly as possible: keep, sort, cut. For documents of `Router`. */
export function modelOf(
  documents: readonly Document[],
  query: ListQuery,
): { page: Document[]; total: number } {
  const found = documents.filter((document) => query.where.every((condition) => holds(document, condition)));
  const sorts: Sort[] = [...query.sort, { field: '_id', order: 1 }];
  found.sort((a, b) => {
    for (const { field, order } of sorts) {
      const [left, right] = [valuesIn(a, field)[0], valuesIn(b, field)[0]];
      if (left === undefined && right === undefined) continue;
      if (left === undefined) return 1;
      if (right === undefined) return -1;
      const difference = compared(left, right) * order;
      if (difference !== 0) return difference;
    }
    return 0;
  });
  const end = query.limit === null ? found.length : query.skip + query.limit;
  return { page: found.slice(query.skip, end), total: found.length };
}

function holds(document: Document, { field, op, values, test }: Condition): boolean {
  const found = valuesIn(document, field);
  const [first = ''] = values;
  switch (op) {
    case 'eq':
    case 'in':
      return found.some((one) => values.includes(one));
    case 'not-in':
      return !found.some((one) => values.includes(one));
    case 'contains':
      return found.some((one) => folded(String(one), first).includes(folded(String(first), first)));
    case 'prefix':
      return found.some((one) => folded(String(one), first).startsWith(folded(String(first), first)));
    case 'gt':
      return found.some((one) => compared(one, first) > 0);
    case 'gte':
      return found.some((one) => compared(one, first) >= 0);
    case 'lt':
      return found.some((one) => compared(one, first) < 0);
    case 'lte':
      return found.some((one) => compared(one, first) <= 0);
    case 'matches':
      return found.some((one) => test?.(String(one)));
  }
}

/** Text of ASCII is sought among ASCII letters only; any other text as Unicode says. */
const folded = (text: string, sought: Value): string =>
  /[^\0-\x7f]/.test(String(sought))
    ? text.toLowerCase()
    : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function compared(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

/** The values of a field in a document that are of the field's type; a text field takes any value as its text. */
function valuesIn(document: Document, name: string): Value[] {
  const type = name === '_id' ? 'text' : fieldOf(Router, name)?.type;
  let found: unknown[] = [document];
  for (const key of name.split('.')) {
    found = found.flatMap((one) => memberOf(one, key)).filter((one) => one !== undefined);
  }
  return found.flatMap((one): Value[] => {
    if (type === 'text') return ['string', 'number', 'boolean'].includes(typeof one) ? [String(one)] : [];
    return typeof one === type ? [one as Value] : [];
  });
}

const memberOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
