import { router } from '#server/trpc.ts';
import { components } from './components.ts';
import { projects } from './projects.ts';
import { transfer } from './transfer.ts';

/** Projects, and what they are made of (interface §4.7, lifecycle §5.1). */
export const automationStudio = router({ ...projects, ...components, ...transfer });
