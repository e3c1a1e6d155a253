import type { NewInventorySource } from '#db/schemas/network/inventory-source.ts';
import { unique } from '../procedures.ts';
import { until } from '../processes/processes.ts';
import { openService } from '../service.ts';
import { openNetbox } from './netbox.ts';

/** Returns a name that no other test has, without blanks. */
export const nameOf = (word: string): string => unique(word).replace(' ', '-');

/** Opens a service that works on inventory sources, and a NetBox to read. */
export async function openSources() {
  const service = await openService({}, { works: true });
  const { automationgateway, inventory } = await service.as('admin');
  const netbox = await openNetbox();

  /** Creates a source of the NetBox, unless `more` names another. */
  const create = async (more: Partial<NewInventorySource> = {}) =>
    (
      await inventory.createSource({
        source: { name: nameOf('source'), type: 'netbox', url: netbox.url, token: netbox.token, ...more },
      })
    ).data;

  /** Returns a run when it has ended. */
  const ended = (runId: string) =>
    until(
      'the run ends',
      async () => {
        const run = await inventory.getRun({ runId });
        return run.status === 'running' ? undefined : run;
      },
      // 10,000 devices took a minute beside 13 other processes.
      180,
    );

  /** Runs a source, with a confirmed number of gone devices, and returns the run when it has ended. */
  const synced = async (id: string, confirmGone?: number) =>
    ended((await inventory.syncSource({ id, confirmGone })).runId);

  const host = (name: string) => automationgateway.getHost({ kind: 'cli', name });
  return { service, inventory, automationgateway, netbox, create, ended, synced, host };
}
