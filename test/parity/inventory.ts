import { step } from './step.ts';

const one = { id: 'parity-source' };
const source = {
  name: 'parity-source',
  type: 'ansible',
  content: 'parity-leaf ansible_host=192.0.2.61 ansible_network_os=cisco.ios.ios\n',
};

/** Selections, CSV files and inventory sources. */
export const INVENTORY = [
  step('inventory.importCsv', { csv: 'name,host,device_type,tags\nparity-1,192.0.2.60,cisco_ios,parity\n' }),
  step('inventory.importCsv', {
    csv: 'name,host,port\nparity-2,192.0.2.60,x\n',
    mode: 'lenient',
    dryRun: true,
  }),
  step('inventory.importCsv', { csv: 1 }),
  step('inventory.listSelection', { selection: { tags: ['parity'] }, limit: 5 }),
  step('inventory.listSelection', { selection: {} }),
  step('inventory.listSelectionValues', { field: 'tags', text: 'par' }),
  step('inventory.listSelectionValues', { field: 'none' }),
  step('inventory.createSource', { source }),
  step('inventory.createSource', { source }),
  step('inventory.createSource', { source: { ...source, url: 'https://x:y@192.0.2.1', type: 'netbox' } }),
  step('inventory.listSources', { queryOptions: { limit: 5 } }),
  step('inventory.getSource', one),
  step('inventory.updateSource', { ...one, updates: { deletes: 'mark', schedule: { everyMinutes: 60 } } }),
  step('inventory.previewSource', one),
  step('inventory.syncSource', one, { keep: ({ runId }: { runId: string }) => ({ inventoryRun: runId }) }),
  step('inventory.syncSource', one),
  step('inventory.getRun', ({ inventoryRun }) => ({ runId: inventoryRun })),
  step('inventory.getRun', { runId: 'none' }),
  step('inventory.listRuns', one),
  step('inventory.listRuns', { id: 'none' }),
  step('inventory.deleteSource', one),
  step('inventory.deleteSource', { id: 'none' }),
];
