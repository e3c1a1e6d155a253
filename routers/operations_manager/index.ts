import { router } from '#server/trpc.ts';
import { automations } from './automations.ts';
import { triggers } from './triggers.ts';

/** What starts workflows: automations and their triggers (docs/automations.md). */
export const operationsManager = router({ ...automations, ...triggers });
