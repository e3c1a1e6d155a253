import { router } from '#server/kernel/procedures.ts';
import { selection } from './selection.ts';

/** The procedures of `/inventory` (docs/inventory.md). */
export const inventory = router({ ...selection });
