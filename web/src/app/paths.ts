const segment = encodeURIComponent;

/** The addresses of the pages of single objects, below `/console`. */
export const jobPath = (id: string) => `/jobs/${segment(id)}`;
export const workPath = (taskId: string) => `/work/${segment(taskId)}`;
export const reportPath = (id: string) => `/reports/${segment(id)}`;
export const proposalPath = (id: string) => `/proposals/${segment(id)}`;
export const devicePath = (name: string) => `/devices/${segment(name)}`;
export const deviceGroupPath = (id: string) => `/device-groups/${segment(id)}`;
export const treePath = (id: string) => `/trees/${segment(id)}`;
export const automationPath = (id: string) => `/automations/${segment(id)}`;
export const projectPath = (id: string) => `/projects/${segment(id)}`;
export const workflowPath = (id: string) => `/workflows/${segment(id)}`;
export const integrationPath = (name: string) => `/integrations/${segment(name)}`;
export const modelPath = (name: string) => `/integration-models/${segment(name)}`;
export const packagePath = (type: string) => `/adapter-packages/${segment(type)}`;
export const cataloguePath = (type: string) => `/adapter-catalogues/${segment(type)}`;
export const accountPath = (id: string) => `/admin/accounts/${segment(id)}`;
export const groupPath = (id: string) => `/admin/groups/${segment(id)}`;
export const profilePath = (id: string) => `/admin/profiles/${segment(id)}`;
export const sourcePath = (id: string) => `/inventory/sources/${segment(id)}`;
export const sourceRunPath = (id: string) => `/inventory/runs/${segment(id)}`;
export const backupRunPath = (id: string) => `/backups/runs/${segment(id)}`;
export const campaignPath = (id: string) => `/campaigns/${segment(id)}`;
export const gitRemotePath = (id: string) => `/admin/git/${segment(id)}`;
export const gitRunPath = (id: string) => `/admin/git-runs/${segment(id)}`;
export const providerPath = (id: string) => `/admin/sign-in/${segment(id)}`;
