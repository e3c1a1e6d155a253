import { step } from './step.ts';

const catalogue = (more: object) => ({
  id: '@vendor/adapter-desk',
  export: 'Desk',
  methods: [{ name: 'getTicket', input: [{ name: 'number', type: 'string' }] }],
  ...more,
});
const one = { type: 'Desk' };

export const ADAPTER_CATALOGUES = [
  step('adapterModels.listPackages', { queryOptions: { limit: 5 } }),
  step('adapterModels.getPackage', { type: 'None' }),
  step('adapterModels.createCatalogue', { catalogue: catalogue({}) }),
  step('adapterModels.createCatalogue', { catalogue: catalogue({}) }),
  step('adapterModels.createCatalogue', { catalogue: catalogue({ export: 'MOP' }) }),
  step('adapterModels.createCatalogue', { catalogue: { methods: [{}] } }),
  step('adapterModels.listCatalogues', { queryOptions: { contains: 'des', containsField: 'type' } }),
  step('adapterModels.getCatalogue', one),
  step('adapterModels.getCatalogue', { type: 'None' }),
  step('adapterModels.learnCatalogue', { type: 'Unused' }),
  step('workflowBuilder.listTasks', { app: 'Desk' }),
  step('adapterModels.deleteCatalogue', one),
  step('adapterModels.deleteCatalogue', one),
];
