import { router } from '#server/trpc.ts';
import { credentials } from './credentials.ts';
import { inventory } from './inventory.ts';

/** Devices that the gateway reaches, and who it signs in as (docs/devices.md). */
export const automationgateway = router({ ...inventory, ...credentials });
