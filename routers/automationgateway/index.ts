import { router } from '#server/kernel/procedures.ts';
import { cli } from './cli.ts';
import { credentials } from './credentials.ts';
import { gnoi } from './gnoi.ts';
import { history } from './history.ts';
import { inventory } from './inventory.ts';
import { policies } from './policies.ts';

/** The devices that the gateway reaches, and its credentials for them (docs/devices.md). */
export const automationgateway = router({
  ...cli,
  ...gnoi,
  ...policies,
  ...inventory,
  ...credentials,
  ...history,
});
