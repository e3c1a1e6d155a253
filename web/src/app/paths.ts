import type { RegisteredRouter } from '@tanstack/react-router';

/** Links to the pages of single objects: `<Link {...jobPath(id)}>`, `navigate(jobPath(id))`. */
export const jobPath = (id: string) => ({ to: '/jobs/$jobId', params: { jobId: id } }) as const;
export const workPath = (taskId: string) => ({ to: '/work/$taskId', params: { taskId } }) as const;
export const reportPath = (id: string) => ({ to: '/reports/$reportId', params: { reportId: id } }) as const;
export const proposalPath = (id: string) =>
  ({ to: '/proposals/$proposalId', params: { proposalId: id } }) as const;
export const devicePath = (name: string) => ({ to: '/devices/$name', params: { name } }) as const;
export const deviceGroupPath = (id: string) =>
  ({ to: '/device-groups/$groupId', params: { groupId: id } }) as const;
export const treePath = (id: string) => ({ to: '/trees/$treeId', params: { treeId: id } }) as const;
export const automationPath = (id: string) =>
  ({ to: '/automations/$automationId', params: { automationId: id } }) as const;
export const projectPath = (id: string) =>
  ({ to: '/projects/$projectId', params: { projectId: id } }) as const;
export const workflowPath = (id: string) =>
  ({ to: '/workflows/$workflowId', params: { workflowId: id } }) as const;
export const textTemplatePath = (id: string) =>
  ({ to: '/text-templates/$templateId', params: { templateId: id } }) as const;
export const integrationPath = (name: string) => ({ to: '/integrations/$name', params: { name } }) as const;
export const modelPath = (name: string) => ({ to: '/integration-models/$name', params: { name } }) as const;
export const packagePath = (type: string) => ({ to: '/adapter-packages/$type', params: { type } }) as const;
export const cataloguePath = (type: string) =>
  ({ to: '/adapter-catalogues/$type', params: { type } }) as const;
export const accountPath = (id: string) =>
  ({ to: '/admin/accounts/$accountId', params: { accountId: id } }) as const;
export const groupPath = (id: string) => ({ to: '/admin/groups/$groupId', params: { groupId: id } }) as const;
export const profilePath = (id: string) =>
  ({ to: '/admin/profiles/$profileId', params: { profileId: id } }) as const;
export const sourcePath = (id: string) =>
  ({ to: '/inventory/sources/$sourceId', params: { sourceId: id } }) as const;
export const sourceRunPath = (id: string) =>
  ({ to: '/inventory/runs/$runId', params: { runId: id } }) as const;
export const backupRunPath = (id: string) => ({ to: '/backups/runs/$runId', params: { runId: id } }) as const;
export const campaignPath = (id: string) =>
  ({ to: '/campaigns/$campaignId', params: { campaignId: id } }) as const;
export const gitRemotePath = (id: string) =>
  ({ to: '/admin/git/$remoteId', params: { remoteId: id } }) as const;
export const gitRunPath = (id: string) => ({ to: '/admin/git-runs/$runId', params: { runId: id } }) as const;
export const providerPath = (id: string) =>
  ({ to: '/admin/sign-in/$providerId', params: { providerId: id } }) as const;
export const reviewPath = (id: string) =>
  ({ to: '/campaigns/$campaignId/proposals', params: { campaignId: id } }) as const;

/** A path without parameters: that of an area, of a list. */
export type PagePath = Exclude<keyof RegisteredRouter['routesByPath'], `${string}$${string}`>;
