import type { SQL } from 'drizzle-orm';
import { mayRead, mayReadOfProject } from '#db/access.ts';
import { projects } from '#db/tables/assets/assets.ts';
import { type jobCounts, jobs } from '#db/tables/workflow/jobs.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import type { Caller } from '#server/kernel/principal.ts';

/**
 * Returns the condition for the jobs that a caller may see: those without groups or with one of its own, in no project or
 * in one that it may read, or could when the project was deleted.
 */
export const visibleJobs = (
  principal: Caller,
  table: typeof jobs | typeof jobCounts = jobs,
): SQL | undefined => {
  const conditions = [
    mayRead({ readGroups: table.groups }, principal),
    mayReadOfProject({ projectId: table.projectId }, projects, principal),
  ].filter((one) => one !== undefined);
  return conditions.length > 0 ? allOf(...conditions) : undefined;
};
