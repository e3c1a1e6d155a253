import type { Form, Harbour } from './form.ts';

/** The forms of jobs, manual tasks, automations, projects, integrations and lists. */
export const formsOfWork = ({
  account,
  automationId,
  otherAutomationId,
  waiting,
  failing,
  person,
}: Harbour): Form[] => [
  {
    file: 'screens/automations/clone-automation.tsx',
    path: `/automations/${automationId}`,
    open: ['Clone'],
    text: { 'Name of the copy': 'Visits by night' },
    send: 'Clone',
  },
  {
    file: 'screens/automations/new-automation.tsx',
    path: '/automations',
    open: ['Create automation'],
    text: { Name: 'Rounds', Workflow: 'Ask for a site', Description: 'By day' },
    send: 'Create automation',
  },
  {
    file: 'screens/automations/change-automation.tsx',
    path: `/automations/${otherAutomationId}`,
    open: ['Change automation'],
    text: { Name: 'Visits at dawn', Description: 'With a lamp' },
    send: 'Save',
  },
  {
    file: 'screens/automations/run-trigger.tsx',
    path: `/automations/${automationId}`,
    open: ['Run'],
    text: { Site: 'oslo' },
    send: 'Run',
  },
  {
    file: 'screens/automations/trigger-form.tsx',
    path: `/automations/${automationId}`,
    open: ['Create trigger'],
    choose: { 'Started by': 'endpoint' },
    text: { Name: 'By a call', Route: 'rounds' },
    send: 'Create trigger',
  },
  {
    file: 'screens/automations/trigger-form.tsx',
    isAgain: true,
    path: `/automations/${otherAutomationId}`,
    open: ['Change'],
    text: { Name: 'By hand at night', Description: 'With a lamp', Site: 'pier' },
    tick: ['Input values become job variables of their own'],
    send: 'Save',
  },
  {
    file: 'screens/integrations/integrations-page.tsx',
    path: '/integrations',
    open: ['Add integration'],
    text: { Name: 'sites2' },
    send: 'Add integration',
  },
  {
    file: 'screens/integrations/model-tasks.tsx',
    path: '/integrations/sites',
    open: ['Try status'],
    text: { 'Values as JSON': '{ "depth": 12 }' },
    send: 'Run task',
  },
  {
    file: 'screens/integrations/integration-page.tsx',
    path: '/integrations/sites',
    text: { 'Connection as JSON': '{ "server": { "host": "127.0.0.1" } }' },
    send: 'Save connection',
  },
  {
    file: 'screens/jobs/start-job.tsx',
    path: '/jobs',
    open: ['Start job'],
    text: { Workflow: 'Parse a text', Description: 'by day', 'Input values': '{ "depth": 12 }' },
    send: 'Start',
  },
  {
    file: 'screens/jobs/task/task-actions.tsx',
    path: `/jobs/${failing}`,
    open: [/Jump to first error/, 'Retry'],
    text: { Input: '{ "text": "[1, 2]" }' },
    send: 'Retry',
  },
  {
    file: 'screens/projects/change-project.tsx',
    path: '/projects',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Create project' }).click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Piers');
      await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click();
      await page.getByRole('link', { name: 'Piers' }).click();
      await page.getByRole('heading', { level: 1, name: 'Piers' }).waitFor();
    },
    open: ['Change'],
    text: { Name: 'Old piers', Description: 'Of stone' },
    send: 'Save',
  },
  {
    file: 'screens/projects/members.tsx',
    path: '/projects',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Create project' }).click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Moles');
      await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click();
      await page.getByRole('link', { name: 'Moles' }).click();
      await page.getByRole('heading', { level: 1, name: 'Moles' }).waitFor();
    },
    open: ['Add member'],
    choose: { Account: account.id },
    text: {},
    send: 'Add member',
  },
  {
    file: 'ui/form/document-dialog.tsx',
    path: '/transformations',
    open: ['Create transformation'],
    text: {
      'Document as JSON': '{"name": "Tide", "incoming": [], "outgoing": [], "steps": [], "functions": []}',
    },
    send: 'Create transformation',
  },
  {
    file: 'screens/projects/transformations-page.tsx',
    path: '/transformations',
    open: ['Actions of Tide', 'Rename'],
    text: { Name: 'High tide', Description: 'Twice a day' },
    send: 'Rename',
  },
  {
    file: 'screens/text-templates/text-templates-page.tsx',
    path: '/text-templates',
    open: ['Create template'],
    text: { Name: 'Tide table', Group: 'Quay', Description: 'Twice a day' },
    send: 'Create template',
  },
  {
    file: 'screens/text-templates/text-template-page.tsx',
    path: '/text-templates',
    open: ['Tide table', 'Change properties'],
    text: { Group: 'Pier', Description: 'Twice a day and night' },
    send: 'Save',
  },
  {
    file: 'screens/text-templates/text-editor.tsx',
    path: '/text-templates',
    open: ['Tide table'],
    text: { 'Text of the template': 'tide {{ height }}' },
    send: 'Save template',
  },
  {
    file: 'screens/text-templates/text-editor.tsx',
    path: '/text-templates',
    open: ['Tide table'],
    text: { 'Values to render it with': '{"height": 3}' },
    send: 'Save template',
  },
  {
    file: 'screens/projects/projects-page.tsx',
    path: '/projects',
    open: ['Create project'],
    text: { Name: 'Harbour', Description: 'All of it' },
    send: 'Create project',
  },
  {
    file: 'screens/work/assign-dialog.tsx',
    path: `/work?job=${waiting}`,
    open: ['Name the site', 'Assign'],
    choose: { Account: person.id },
    text: {},
    send: 'Assign',
  },
  {
    file: 'screens/work/finish-form.tsx',
    path: `/work?job=${waiting}`,
    open: ['Name the site'],
    text: { Site: 'half a name' },
    send: 'Submit',
  },
  {
    file: 'ui/table/list-page.tsx',
    path: '/devices?q=quay',
    open: ['Save view'],
    text: { 'Name of the view': 'Quays' },
    send: 'Save view',
  },
];
