/**
 * Workflows, their tasks and transformations, automations, triggers, events, and the jobs that run them. Other domains,
 * routers and the service import only this file.
 */

export {
  createAutomation,
  deleteAutomation,
  exportAutomation,
  getAutomation,
  listAutomations,
  updateAutomation,
} from './automations/automations.service.ts';
export { cloneAutomation } from './automations/clone.service.ts';
export * from './automations/import.service.ts';
export { malformedIssues } from './definitions/graph.ts';
export * from './definitions/groups.service.ts';
export { importAssets } from './definitions/import-assets.service.ts';
export * from './definitions/tasks.service.ts';
export * from './definitions/transfer.service.ts';
export * from './definitions/trial.service.ts';
export {
  createWorkflow,
  deleteWorkflow,
  getWorkflow,
  listWorkflows,
  renameWorkflow,
  saveWorkflow,
  updateWorkflow,
} from './definitions/workflows.service.ts';
export { streamEvents } from './events/events.service.ts';
export { openFeed } from './events/feed.service.ts';
export { readEvents } from './events/reading.service.ts';
export type { StreamEvent as LoggedEvent } from './events/stream.ts';
export { maskedPayload, type VisibleEvent, visibleEvent } from './events/visible-payload.service.ts';
export { startEvents } from './events/work.service.ts';
export { command, continueJob, deleteJobs, retryTask, revertJob } from './jobs/control/control.service.ts';
export { startByName } from './jobs/control/start.service.ts';
export {
  runEndpointTrigger,
  runManualTrigger,
  runScheduleTrigger,
} from './jobs/control/trigger-start.service.ts';
export { readDeactivated, readWorkersStatus, switchWorker } from './jobs/control/worker-switches.service.ts';
export * from './jobs/reads/audience.service.ts';
export { countJobs, getJob, getLargeData, listJobs } from './jobs/reads/jobs.service.ts';
export * from './jobs/reads/metrics.service.ts';
export * from './jobs/reads/tasks.service.ts';
export * from './missing/missing.service.ts';
export { planRelinks, type Relinked, type WorkflowUse, withRelinks, workflowUses } from './missing/relink.ts';
export { similarNames } from './missing/similar-names.ts';
export { transformationIssues } from './transformations/check.ts';
export * from './transformations/transformations.service.ts';
export * from './triggers/events.service.ts';
export * from './triggers/triggers.service.ts';
export { calculateSchemas, validateWorkflow } from './validation/derived.service.ts';
