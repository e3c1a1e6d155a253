import { mayCall, type Rights } from '#server/kernel/principal.ts';
import { type Audience, OR, ORD, R } from '#server/kernel/roles.ts';

type Endpoint = { audience: Exclude<Audience, string>; permission: string };

const reads = (permission: string): Endpoint => ({ audience: R, permission });

/**
 * Who may read what an event is about, by its kind: the callers of the endpoint that reads such a document. An event of a
 * kind that does not stand here reaches admins only.
 */
export const READING: Readonly<Record<string, Endpoint>> = {
  adapter: reads('Adapters.getAdapter'),
  automation: { audience: ORD, permission: 'OperationsManager.getAutomation' },
  backup: reads('ConfigurationManager.getBackup'),
  deviceGroup: reads('ConfigurationManager.getDeviceGroup'),
  deviceTemplate: reads('ConfigurationManager.searchDeviceTemplates'),
  job: { audience: OR, permission: 'OperationsManager.getJob' },
  parser: reads('ConfigurationManager.listParsers'),
  plan: reads('ConfigurationManager.getPlan'),
  tree: reads('ConfigurationManager.getTree'),
};

/** Whether a caller's roles and permissions let it read documents of this kind at all. */
export function mayReadKind(rights: Pick<Rights, 'roles' | 'permissions'>, kind: string): boolean {
  const reading = READING[kind];
  if (!reading) return rights.roles.includes('admin');
  return mayCall(rights, reading.audience, reading.permission);
}
