import { router } from '#server/kernel/procedures.ts';
import { csv } from './csv.ts';
import { selection } from './selection.ts';
import { sources } from './sources.ts';

/** The procedures of `/inventory` (docs/inventory.md). */
export const inventory = router({ ...selection, ...csv, ...sources });
