import type { ListQuery, Operator } from './query.ts';
import { addCondition, finish, isObject, membersIn, readPage, refuse, startReading } from './read.ts';
import type { Resource } from './resource.ts';

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['multiEquals', 'eq'],
  ['multiContains', 'contains'],
  ['multiStartsWith', 'prefix'],
]);
const PAGE = new Set(['skip', 'limit', 'sort', 'order']);

/**
 * Read the query of `GET /authorization/views`: `multiEquals[path]=…&multiContains[provenance]=…`; all given members
 * must hold (interface §4.3, decisions §4).
 *
 * @param query decoded: skip, limit and order are numbers
 * @throws QueryRefused with every issue
 */
export function readMulti(resource: Resource, query: unknown): ListQuery {
  const reading = startReading(resource);
  const members = membersIn(reading, query);
  for (const [name, value] of Object.entries(members)) {
    const op = OPERATORS.get(name);
    if (!op) {
      if (!PAGE.has(name) && name !== 'token')
        refuse(reading, [name], 'is not a parameter of this list', 'unknown_parameter');
    } else if (isObject(value)) {
      for (const [field, one] of Object.entries(membersIn(reading, value, [name]))) {
        addCondition(reading, { value: [name, field], field: [name, field] }, field, op, one);
      }
    } else {
      refuse(reading, [name], `must be an object from field to text: ${name}[field]=text`, 'invalid_type');
    }
  }
  readPage(reading, members);
  return finish(reading);
}
