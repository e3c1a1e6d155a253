/** The list machinery's tests bring their own tables; a migrated database is as good as an empty one. */
export { openTestDatabase as openListDatabase } from '../postgres.ts';
