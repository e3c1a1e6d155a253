/** Notifications of events: channels, rules and deliveries. Other domains, routers and the service import only this file. */

export * from './channels/channels.service.ts';
export * from './channels/test.service.ts';
export {
  getDelivery,
  listDeliveries,
  pruneDeliveries,
  retryDelivery,
} from './deliveries/deliveries.service.ts';
export { openDispatch } from './deliveries/dispatch.service.ts';
export { failingChannels } from './health.service.ts';
export { createRule, deleteRule, getRule, listRules, updateRule } from './rules/rules.service.ts';
