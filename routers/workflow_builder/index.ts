import { router } from '#server/kernel/procedures.ts';
import { groups } from './groups.ts';
import { tasks } from './tasks.ts';
import { workflows } from './workflows.ts';

/** Workflows under construction, addressed by name (contract/lifecycle#5.2, #5.3). */
export const workflowBuilder = router({
  ...workflows,
  ...groups,
  ...tasks,
});
