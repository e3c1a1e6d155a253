import { router } from '#server/trpc.ts';
import { templates } from './templates.ts';

/** The documents of the automation studio: one flat area, permission by permission. */
export const automationStudio = router({ ...templates });
