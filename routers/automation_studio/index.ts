import { router } from '#server/kernel/procedures.ts';
import { components } from './components.ts';
import { projects } from './projects.ts';
import { tasks } from './tasks.ts';
import { templates } from './templates.ts';
import { transfer } from './transfer.ts';
import { workflows } from './workflows.ts';

/** Projects, their components, workflows and text templates (contract/endpoints#4.7, contract/lifecycle#5.1 to #5.4). */
export const automationStudio = router({
  ...projects,
  ...components,
  ...transfer,
  ...workflows,
  ...tasks,
  ...templates,
});
