import { exhaustion, isTooLong, isUnavailable, violates } from '#db/client.ts';
import { InvalidListQuery } from '#db/list/query.ts';
import { conflict, invalid, invalidRequest, ServiceError, unavailable } from '../errors.ts';
import { isExpressionOverflow } from '../text/expression-overflow.ts';

/** What became of work that changes something, and whose process or database was lost meanwhile (contract/engines#side-effects). */
export const INTERRUPTED = 'interrupted, outcome unknown';

/** The same, while the database could not be reached. */
export const DATABASE_LOST = `${INTERRUPTED}: the database was not available`;

/**
 * Returns why one piece of work among several failed, in words that may be shown; the caller logs what is internal.
 *
 * @param error whatever was thrown
 */
export const reasonOf = (error: unknown): string => translateFault(error)?.message ?? 'Internal error';

/**
 * Translates errors of the database or of a list that the caller can act on; any other error stays internal.
 *
 * @returns 400 for an invalid list query, or a text too long for an index or a regular expression; 503 while the database
 *   is unavailable or out of space, memory or connections; 409 for a key that was taken meanwhile; null for any other error
 */
export function translateFault(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error;
  if (error instanceof InvalidListQuery) return invalidRequest(error.issues);
  const lack = exhaustion(error);
  if (lack) return unavailable(`The database ${lack}; retry later`, error, 10);
  if (isUnavailable(error))
    return unavailable('The database is not available at the moment; retry later', error);
  if (isTooLong(error)) {
    return invalid(
      [],
      'A name, or another text by which lists are sorted, is longer than 1,000 characters',
      'too_big',
    );
  }
  if (isExpressionOverflow(error))
    return invalid([], 'A text of millions of characters is too long for this', 'too_big');
  const constraint = violates(error);
  if (constraint) {
    return conflict(
      'Another request stored a document with the same name or id: choose another one, or retry',
      { cause: error },
    );
  }
  return null;
}
