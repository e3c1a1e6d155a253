import { step } from './step.ts';

const document = (more: object) => ({
  swagger: '2.0',
  info: { title: 'Sites', version: '1' },
  host: 'sites.example.net',
  securityDefinitions: { key: { type: 'apiKey', name: 'X-Key', in: 'header' } },
  paths: { '/sites': { get: { operationId: 'listSites', tags: ['site'], responses: {} } } },
  ...more,
});
const one = { name: 'Sites:1' };

export const INTEGRATION_MODELS = [
  step('integrationModels.validateModel', {
    model: document({ paths: { '/a': { get: { parameters: 1 } } } }),
  }),
  step('integrationModels.validateModel', { model: document({ info: {} }) }),
  step('integrationModels.createModel', { model: document({}) }),
  step('integrationModels.createModel', { model: JSON.stringify(document({})) }),
  step('integrationModels.createModel', { model: 'swagger: [' }),
  step('integrationModels.replaceModel', { model: document({ paths: {} }) }),
  step('integrationModels.replaceModel', { model: document({}) }),
  step('integrationModels.listModels', { queryOptions: { contains: 'sites', containsField: 'name' } }),
  step('integrationModels.listModels', { queryOptions: { equals: 'x', equalsField: 'none' } }),
  step('integrationModels.getModel', one),
  step('integrationModels.getModel', { name: '@switchyard/adapter_Sites:1' }),
  step('integrationModels.exportModel', one),
  step('integrationModels.getSecuritySchemes', one),
  step('integrationModels.listTasks', {
    ...one,
    method: 'GET',
    tag: 'site',
    search: 'SITES',
    skip: 0,
    limit: 5,
  }),
  step('integrationModels.listTasks', { ...one, limit: 0 }),
  step('integrationModels.deleteModel', { name: 'None:1' }),
  step('integrationModels.deleteModel', one),
];
