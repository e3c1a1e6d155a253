import { sql } from 'drizzle-orm';

/**
 * Returns the condition for documents of a name.
 *
 * @param name absent: documents of any name
 */
export const named = (name: string | undefined) => (name === undefined ? sql`true` : sql`name = ${name}`);
