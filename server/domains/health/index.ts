/** What the service tells of itself. Other domains, routers and the service import this file alone. */

export {
  describeService,
  getAdapterHealth,
  getApplicationHealth,
  listAdapterHealth,
  listApplicationHealth,
  measureDatabase,
  readServer,
  readStatus,
  readSystem,
} from './health.service.ts';
export { readLiveness, readReadiness } from './probes.service.ts';
