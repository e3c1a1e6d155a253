import { openCalculationPool } from '#server/kernel/calculations/calculation-pool.ts';

/** Heap limit in MiB: the thread loads every procedure. */
const pool = openCalculationPool(1, 1024);
/** For a thread that hangs: it takes two seconds. */
const LIMIT = { ms: 60_000, waiting: 1 };
/** Placeholder in the document for the URL of its server. */
const SERVERS = '"servers":[{"url":"/"}]';

let text: Promise<string> | undefined;

/**
 * Returns the OpenAPI document of every REST endpoint as JSON text (contract/lifecycle#help-openapi). It is written in a thread at
 * the first call: that takes almost two seconds, for which no other request would be answered.
 *
 * @param url address of this service for clients that reach it elsewhere; absent: `/`
 * @throws Error when the thread cannot be started; the next call tries again
 */
export async function openApi(url?: string): Promise<string> {
  text ??= pool.calculate('openApi', null, LIMIT) as Promise<string>;
  try {
    const written = await text;
    // Quotes inside strings are escaped, so the first match is the property itself, which precedes all paths.
    return url === undefined
      ? written
      : written.replace(SERVERS, () => `"servers":${JSON.stringify([{ url }])}`);
  } catch (error) {
    text = undefined;
    throw error;
  }
}
