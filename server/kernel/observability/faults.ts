import { exhaustion, isTooLong, isUnavailable, violates } from '#db/client.ts';
import { InvalidListQuery } from '#db/list/query.ts';
import { conflict, invalid, invalidRequest, ServiceError, unavailable } from '../errors.ts';

/**
 * Translates errors of the database or of a list that the caller can act on; any other error stays internal.
 *
 * @returns 400 for an invalid list query or a text too long for an index; 503 while the database is unavailable or out
 *   of space, memory or connections; 409 for a key that was taken meanwhile; null for any other error
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
  const constraint = violates(error);
  if (constraint) {
    return conflict(
      'Another request stored a document with the same name or id: choose another one, or retry',
      { cause: error },
    );
  }
  return null;
}
