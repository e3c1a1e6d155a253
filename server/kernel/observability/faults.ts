import { exhaustion, isTooLong, isUnavailable, violates } from '#db/client.ts';
import { QueryRefused } from '#db/list/query.ts';
import { conflict, invalid, refused, ServiceError, unavailable } from '../errors.ts';

/**
 * What the database, or a list, fails with and the caller can act on, as the refusal it is; anything else stays a fault.
 *
 * @returns 400 for a list's query that cannot be answered or a text that no index can hold, 503 while the database is away or
 *   has no room, memory or connections left, 409 for a key that is taken
 *   meanwhile, null when it is something else
 */
export function translateFault(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error;
  if (error instanceof QueryRefused) return refused(error.issues);
  const lack = exhaustion(error);
  if (lack) return unavailable(`The database ${lack}; try again later`, error, 10);
  if (isUnavailable(error))
    return unavailable('The database is not available at the moment; try again', error);
  if (isTooLong(error)) {
    return invalid(
      [],
      'A name, or another text that lists are sorted by, is longer than 1,000 characters',
      'too_big',
    );
  }
  const constraint = violates(error);
  if (constraint) {
    return conflict('Another document with the same name or id was stored meanwhile', { cause: error });
  }
  return null;
}
