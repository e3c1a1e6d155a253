const segment = encodeURIComponent;

/** The addresses of the pages of single objects, below `/console`. */
export const jobPath = (id: string) => `/jobs/${segment(id)}`;
export const reportPath = (id: string) => `/reports/${segment(id)}`;
export const proposalPath = (id: string) => `/proposals/${segment(id)}`;
export const devicePath = (name: string) => `/devices/${segment(name)}`;
export const treePath = (id: string) => `/trees/${segment(id)}`;
export const automationPath = (id: string) => `/automations/${segment(id)}`;
export const projectPath = (id: string) => `/projects/${segment(id)}`;
export const workflowPath = (id: string) => `/workflows/${segment(id)}`;
export const integrationPath = (name: string) => `/integrations/${segment(name)}`;
export const modelPath = (name: string) => `/integration-models/${segment(name)}`;
