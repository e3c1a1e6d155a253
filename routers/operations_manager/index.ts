import { router } from '#server/kernel/procedures.ts';
import { automations } from './automations.ts';
import { jobs } from './jobs.ts';
import { runs } from './runs.ts';
import { schedules } from './schedules.ts';
import { tasks } from './tasks.ts';
import { triggers } from './triggers.ts';

/** Automations, triggers, jobs and their tasks (docs/workflows.md). */
export const operationsManager = router({
  ...automations,
  ...triggers,
  ...schedules,
  ...runs,
  ...jobs,
  ...tasks,
});
