import { exhaustion, isUnavailable } from '#db/client.ts';

/** How long a look-up may take before the database counts as away, in milliseconds. */
const PATIENCE_MS = 1000;

/**
 * Waits for a look-up in the database, for something that must be answered while the database is away.
 *
 * @param lookUp the look-up, which runs already
 * @param otherwise what is returned when the database cannot be used, or has not answered within a second
 * @returns the result of the look-up, or `otherwise`
 * @throws any other error of the look-up
 */
export async function unlessAway<Value>(lookUp: Promise<Value>, otherwise: Value): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Value>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, otherwise);
  });
  const known = lookUp.catch((error: unknown) => {
    if (isUnavailable(error) || exhaustion(error)) return otherwise;
    throw error;
  });
  try {
    return await Promise.race([known, late]);
  } finally {
    clearTimeout(timer);
  }
}
