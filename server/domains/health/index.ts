/** Health, probes and the OpenAPI document of the service. Other domains, routers and the service import only this file. */

export { listConnections } from './connections.service.ts';
export { measureDatabase } from './figures.service.ts';
export * from './health.service.ts';
export * from './probes.service.ts';
