import type { SQL } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import { runAtIntervals } from './interval-task.ts';

/** Interval between two looks at the database, in milliseconds: the takeover of work stays under two seconds. */
const LOOK_MS = 1000;

/** Something that a process looks for in the database: work that is due, or that was announced to nobody. */
export type Concern = {
  /** Returns the condition that there is something to do: an expression that an index answers. */
  isDue: () => SQL;
  /** Does it; the signal aborts when it should end. Concerns do not wait for one another. */
  attend: (ending: AbortSignal) => Promise<unknown>;
  /** Receives the error of a failed run; the next look follows. */
  failed: (error: unknown) => void;
};

/**
 * Looks for all concerns once a second, with one statement: an idle process asks nothing else (decision 0155). Each concern
 * runs once at a time.
 *
 * @param failed receives the error of a failed look; the next one follows
 * @returns a function that stops it and waits for what is under way
 */
export function lookOut(
  db: Database,
  concerns: readonly Concern[],
  failed: (error: unknown) => void,
): () => Promise<void> {
  const underWay = new Map<Concern, Promise<void>>();
  const attend = (concern: Concern, ending: AbortSignal) => {
    if (ending.aborted || underWay.has(concern)) return;
    const run = concern
      .attend(ending)
      .then(() => undefined, concern.failed)
      .finally(() => underWay.delete(concern));
    underWay.set(concern, run);
  };
  const look = async (ending: AbortSignal) => {
    const conditions = concerns.map(({ isDue }) => isDue());
    const [found] = await rows<{ due: string }>(
      db,
      sql`select array_to_json(array[${sql.join(conditions, sql`, `)}]::boolean[])::text as due`,
    );
    const due = JSON.parse(found?.due ?? '[]') as boolean[];
    for (const [at, concern] of concerns.entries()) if (due[at]) attend(concern, ending);
  };
  const stop = runAtIntervals(LOOK_MS, look, failed);
  return async () => {
    await stop();
    await Promise.all(underWay.values());
  };
}
