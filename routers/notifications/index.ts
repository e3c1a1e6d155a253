import { router } from '#server/kernel/procedures.ts';
import { channels } from './channels.ts';
import { deliveries } from './deliveries.ts';
import { rules } from './rules.ts';

export const notifications = router({ ...channels, ...rules, ...deliveries });
