import { router } from '#server/trpc.ts';
import { tasks } from './tasks.ts';
import { workflows } from './workflows.ts';

/** Projects, and the assets that they can hold (lifecycle §5.1 to §5.4). */
export const automationStudio = router({
  ...workflows,
  ...tasks,
});
