import { prebuilt } from '../helpers/documents/prebuilts.ts';
import { task, workflowOf } from '../helpers/workflows.ts';
import { NOBODY, type Step, step } from './step.ts';

const importedProject = {
  _id: '65a000000000000000000c01',
  name: 'Imported',
  components: [
    {
      iid: 4,
      type: 'mopCommandTemplate',
      reference: '@65a000000000000000000c01: IOS check',
      folder: '/Checks',
      document: {
        name: 'IOS check',
        os: '',
        passRule: true,
        commands: [],
        created: 1767225600000,
        lastUpdated: 1767225600000,
      },
    },
  ],
};

/** The workers of the engine, and trying what its tasks do. */
const ENGINE: Step[] = [
  step('workflowEngine.getWorkersStatus'),
  step('workflowEngine.deactivateJobWorker'),
  step('workflowEngine.deactivateTaskWorker'),
  step('workflowEngine.getWorkersStatus'),
  step('workflowEngine.activateJobWorker'),
  step('workflowEngine.activateTaskWorker'),
  step('workflowEngine.listJobMetrics', { queryOptions: { sort: 'jobsComplete', order: -1 } }),
  step('workflowEngine.listJobMetrics', { queryOptions: { equals: 'x', equalsField: 'nonsense' } }),
  step('workflowEngine.listTaskMetrics', { queryOptions: { limit: 5 } }),
  step('workflowEngine.runEvaluationGroups', {
    evaluation_groups: [{ evaluations: [{ operand_1: 2, operator: '>', operand_2: 1 }] }],
  }),
  step('workflowEngine.runEvaluationGroups', { evaluation_groups: [] }),
  step('workflowEngine.query', { query: 'a[0]', obj: { a: [1] } }),
  step('workflowEngine.query', { query: 'a[', obj: {} }),
];

/** Automations, triggers, jobs, prebuilts and projects. */
export const OPERATIONS: Step[] = [
  ...ENGINE,
  step(
    'operationsManager.createAutomation',
    { automation: { name: 'Nightly', componentType: 'workflows' } },
    { keep: (body: { data: { _id: string } }) => ({ automation: body.data._id }) },
  ),
  step('operationsManager.createAutomation', {
    automation: { name: 'Nightly', componentType: 'workflows' },
  }),
  step('operationsManager.createAutomation', {
    automation: { name: 'Lost', componentType: 'ucm_compliance_plans', componentName: 'No such plan' },
  }),
  step('operationsManager.listAutomations', {
    queryOptions: { contains: 'NIGHT', containsField: 'name', sort: 'name' },
  }),
  step('operationsManager.listAutomations', { queryOptions: { sort: 'nonsense' } }),
  step('operationsManager.getAutomation', ({ automation }) => ({ id: automation })),
  step('operationsManager.getAutomation', { id: NOBODY }),
  step('operationsManager.updateAutomation', ({ automation }) => ({
    id: automation,
    automation: { description: 'At night', createdBy: 'nobody' },
  })),
  step(
    'operationsManager.createTrigger',
    ({ automation }) => ({
      trigger: { name: 'By call', type: 'endpoint', routeName: 'nightly', actionId: automation },
    }),
    { keep: (body: { data: { _id: string } }) => ({ trigger: body.data._id }) },
  ),
  step('operationsManager.createTrigger', ({ automation }) => ({
    trigger: { name: 'By clock', type: 'schedule', actionId: automation },
  })),
  step('operationsManager.createTrigger', ({ automation }) => ({
    trigger: { name: 'By hand', type: 'manual', formId: 'No such form', actionId: automation },
  })),
  step('operationsManager.listTriggers', ({ automation }) => ({
    queryOptions: { actionId: automation, enabled: true },
  })),
  step('operationsManager.getTrigger', ({ trigger }) => ({ id: trigger })),
  step('operationsManager.exportTrigger', ({ trigger }) => ({ id: trigger })),
  step('operationsManager.updateTrigger', ({ trigger }) => ({ id: trigger, trigger: { enabled: false } })),
  step('operationsManager.updateTrigger', ({ trigger }) => ({ id: trigger, trigger: { topic: 'none' } })),
  step('operationsManager.exportAutomation', ({ automation }) => ({ id: automation })),
  step('operationsManager.cloneAutomation', ({ automation }) => ({ automation: { id: automation } }), {
    keep: (body: { data: { _id: string } }) => ({ clone: body.data._id }),
  }),
  step('operationsManager.cloneAutomation', { automation: { id: NOBODY } }),
  step('operationsManager.importAutomations', {
    automations: [
      { name: 'Nightly', triggers: [{ name: 'By event', type: 'eventSystem', source: 's', topic: 't' }] },
      { name: 'Lost', componentName: 'No such flow' },
    ],
  }),
  step('operationsManager.importTriggers', ({ automation }) => ({
    triggers: [{ name: 'By hand', type: 'manual', actionId: automation }],
  })),
  step('operationsManager.listEvents', { source: '@vendor/operations-manager' }),
  step('operationsManager.getEvent', { source: '@vendor/operations-manager', topic: 'jobCompleted' }),
  step('operationsManager.getEvent', { source: '@vendor/operations-manager', topic: 'none' }),
  step('operationsManager.deleteTrigger', ({ trigger }) => ({ id: trigger })),
  step('operationsManager.deleteTriggersOfAutomation', ({ automation }) => ({ id: automation })),
  step('operationsManager.deleteAutomation', ({ clone }) => ({ id: clone })),
  step(
    'automationStudio.createWorkflow',
    { automation: workflowOf('Runs', { a: task('newVariable', { name: 'x', value: 1 }, { value: null }) }) },
    { measured: true },
  ),
  step(
    'operationsManager.startJob',
    { workflow: 'Runs', options: { variables: { y: 2 } } },
    { measured: true, keep: (body: { data: { _id: string } }) => ({ job: body.data._id }) },
  ),
  step('operationsManager.startJob', { workflow: 'No such flow' }),
  step('operationsManager.listJobs', {
    queryOptions: { equals: { name: 'Runs' }, include: 'name,status,tasks.a.status' },
  }),
  step('operationsManager.listJobs', { queryOptions: { equals: { nonsense: '1' } } }),
  step('operationsManager.countJobs', { queryOptions: { contains: { name: 'run' } } }),
  step('operationsManager.getJob', ({ job }) => ({ jobId: job }), { measured: true }),
  step('operationsManager.getJob', ({ job }) => ({ jobId: job, queryOptions: { include: 'name' } })),
  step('operationsManager.getJob', { jobId: NOBODY }),
  step('operationsManager.getLargeData', { id: NOBODY }),
  step('operationsManager.pauseJobs', ({ job }) => ({ jobIds: [job, NOBODY] })),
  step('operationsManager.resumeJobs', ({ job }) => ({ jobIds: [job] })),
  step('operationsManager.watchJob', ({ job }) => ({ jobId: job })),
  step('operationsManager.unwatchJob', ({ job }) => ({ jobId: job })),
  step('operationsManager.watchJobs', ({ job }) => ({ jobIds: [job] })),
  step('operationsManager.unwatchJobs', ({ job }) => ({ jobIds: [job] })),
  step('operationsManager.addJobWatchers', ({ job }) => ({ jobId: job, watchers: [NOBODY] })),
  step('operationsManager.addJobGroups', ({ job }) => ({ jobId: job, groups: [NOBODY] })),
  step('operationsManager.setJobGroups', ({ job }) => ({ jobId: job, groups: [] })),
  step('operationsManager.clearJobGroups', ({ job }) => ({ jobId: job })),
  step('operationsManager.removeJobGroup', ({ job }) => ({ jobId: job, groupId: NOBODY })),
  step('operationsManager.revertJob', ({ job }) => ({ jobId: job, fromTask: 'a', toTask: 'a' })),
  step('operationsManager.listTasks', { queryOptions: { equals: { type: 'manual' } } }),
  step('operationsManager.countTasks', { queryOptions: {} }),
  step('operationsManager.getTask', { taskId: NOBODY }),
  step('operationsManager.claimTask', { taskId: NOBODY }),
  step('operationsManager.releaseTask', { taskId: NOBODY }),
  step('operationsManager.assignTask', { taskId: NOBODY, userId: NOBODY }),
  step('operationsManager.getManualController', ({ job }) => ({ jobId: job, taskId: 'a' })),
  step('operationsManager.finishTask', ({ job }) => ({
    jobId: job,
    taskId: 'a',
    taskData: { finish_state: 'success' },
  })),
  step('operationsManager.retryTask', ({ job }) => ({ jobId: job, taskId: 'a' })),
  step('operationsManager.continueJob', ({ job }) => ({ jobId: job, fromTask: 'a' }), { measured: true }),
  step('operationsManager.cancelJobs', ({ job }) => ({ jobIds: [job] })),
  step('operationsManager.deleteJobs', { jobIds: [NOBODY] }),
  step('operationsManager.deleteJob', ({ job }) => ({ jobId: job })),
  step(
    'operationsManager.createAutomation',
    { automation: { name: 'Runs it', componentType: 'workflows', componentName: 'Runs' } },
    { keep: (body: { data: { _id: string } }) => ({ runner: body.data._id }) },
  ),
  step(
    'operationsManager.createTrigger',
    ({ runner }) => ({ trigger: { name: 'By hand', type: 'manual', actionId: runner } }),
    { keep: (body: { data: { _id: string } }) => ({ byHand: body.data._id }) },
  ),
  step('operationsManager.createTrigger', ({ runner }) => ({
    trigger: { name: 'By route', type: 'endpoint', routeName: 'runs', actionId: runner },
  })),
  step('operationsManager.runManualTrigger', ({ byHand }) => ({ id: byHand, formData: { z: 3 } }), {
    measured: true,
  }),
  step('operationsManager.runManualTrigger', { id: NOBODY, formData: {} }),
  step(
    'operationsManager.runEndpointTrigger',
    { routeName: 'runs', endpointBody: { z: 3 } },
    { measured: true },
  ),
  step('operationsManager.runScheduleTrigger', ({ byHand }) => ({ id: byHand })),
  step('prebuilts.validatePrebuilt', { prebuilt: prebuilt('Ports') }),
  step('prebuilts.validatePrebuilt', { prebuilt: { metadata: { name: 'Ports' } } }),
  step(
    'prebuilts.importPrebuilt',
    { prebuilt: prebuilt('Ports') },
    { keep: (body: { data: { _id: string } }) => ({ prebuilt: body.data._id }) },
  ),
  step('prebuilts.importPrebuilt', { prebuilt: prebuilt('Ports') }),
  step('prebuilts.importPrebuilt', { prebuilt: prebuilt('Ports'), options: { overwrite: true } }),
  step('prebuilts.listPrebuilts', { queryOptions: { equals: 'Ports', equalsField: 'name' } }),
  step('prebuilts.getPrebuilt', (seen) => ({ id: seen.prebuilt })),
  step('prebuilts.exportPrebuilt', (seen) => ({ id: seen.prebuilt })),
  step('prebuilts.updatePrebuilt', (seen) => ({ id: seen.prebuilt, prebuilt: { readme: 'New' } })),
  step('prebuilts.deletePrebuilt', (seen) => ({ id: seen.prebuilt, deleteComponents: true })),
  step('prebuilts.deletePrebuilt', { id: NOBODY }),
  step(
    'automationStudio.createProject',
    { name: 'Upgrades', description: 'For tests' },
    { keep: ({ data }: { data: { _id: string } }) => ({ project: data._id }) },
  ),
  step('automationStudio.createProject', { name: 'Upgrades' }),
  step('automationStudio.listProjects', { queryOptions: { contains: { name: 'upgrade' }, limit: 5 } }),
  step('automationStudio.listProjects', { queryOptions: { include: 'name', exclude: 'name' } }),
  step('automationStudio.getProject', ({ project }) => ({ projectId: project })),
  step('automationStudio.getProject', { projectId: NOBODY }),
  step('automationStudio.updateProject', ({ project }) => ({
    projectId: project,
    description: 'changed',
    iid: 3,
  })),
  step('automationStudio.updateProject', ({ project }) => ({ projectId: project, members: [] })),
  step('automationStudio.setThumbnail', ({ project }) => ({ projectId: project, imageData: '' })),
  step('automationStudio.getThumbnail', ({ project }) => ({ projectId: project })),
  step('automationStudio.addComponents', ({ project }) => ({
    projectId: project,
    components: [{ type: 'workflow', reference: 'none' }],
  })),
  step('automationStudio.removeComponent', ({ project }) => ({
    projectId: project,
    componentId: 1,
    options: { mode: 'move' },
  })),
  step(
    'automationStudio.importProject',
    { project: importedProject },
    { keep: ({ data }: { data: { _id: string } }) => ({ imported: data._id }) },
  ),
  step('automationStudio.importProject', { project: { ...importedProject, components: [{ iid: 1 }] } }),
  step('automationStudio.exportProject', ({ imported }) => ({ projectId: imported })),
  step('automationStudio.listMissing', ({ imported }) => ({ projectId: imported })),
  step('automationStudio.listMissingOfWorkflow', { workflowId: 'none' }),
  step('automationStudio.removeComponent', ({ imported }) => ({
    projectId: imported,
    componentId: 4,
    options: { mode: 'move' },
  })),
  step('automationStudio.listReferencesTo', {
    'target-type': 'mopCommandTemplate',
    'target-identifiers': ['IOS check'],
  }),
  step('automationStudio.deleteProject', ({ imported }) => ({ projectId: imported })),
];
