import { expect, test } from 'vitest';
import { axeInBothThemes, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { createPerson } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';
import { task, view, workflowOf } from '../../helpers/workflows.ts';

const FORM = {
  name: 'Site of the racks',
  schema: {
    type: 'object',
    required: ['site'],
    properties: { site: { type: 'string', title: 'Site' }, racks: { type: 'integer', title: 'Racks' } },
  },
};

const showForm = {
  ...task(
    'ShowJSONForm',
    { formId: FORM.name, formData: {} },
    { export: '$var.job.site' },
    { type: 'manual', app: 'JsonForms', view: '/json-forms/task/ShowJSONForm' },
  ),
  summary: 'Name the site',
};

describeInBrowser('the work of the console', async () => {
  const service = await openService({}, { works: true });
  const { signIn, signInWith } = await openConsole(service);
  const { automationStudio, operationsManager, jsonForms } = await service.as('admin');
  await jsonForms.createForm({ form: FORM });
  await automationStudio.createWorkflow({ automation: workflowOf('Ask for a site', { a1: showForm }) });
  await automationStudio.createWorkflow({
    automation: workflowOf('Look at a device', {
      a1: {
        ...view({
          message: 'Is <!device!> fine?',
          variables: { device: 'edge-1' },
          btn_success: 'It is fine',
        }),
        summary: 'Look at the device',
      },
    }),
  });
  const start = async (workflow: string) => (await operationsManager.startJob({ workflow })).data._id;

  test('says that nothing waits, shows a task as soon as it does, and finishes it with the button of its workflow', async () => {
    const page = await signInWith(['admin'], '/work');
    await page.getByRole('heading', { name: 'No task is waiting for you' }).waitFor();
    await start('Look at a device');
    await page.getByRole('link', { name: 'Look at the device' }).click();
    await page.getByText('Is edge-1 fine?').waitFor();
    await page.getByRole('button', { name: 'It is fine' }).click();
    await page.getByText('Finished by you with success').waitFor();
  });

  test('a form made from a schema marks missing values, and its values reach the job', async () => {
    const jobId = await start('Ask for a site');
    const page = await signInWith(['admin'], '/work');
    await page.getByRole('link', { name: 'Name the site' }).click();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('The form is not complete').waitFor();
    await page.getByLabel(/^Site/).fill('oslo');
    await page.getByLabel('Racks').fill('4');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('Finished by you with success').waitFor();
    await expect
      .poll(async () => (await operationsManager.getJob({ jobId })).data.variables?.site)
      .toEqual({ site: 'oslo', racks: 4 });
  });

  test('shows a second user that the task is claimed and by whom, and keeps the typed values', async () => {
    const jobId = await start('Ask for a site');
    const first = await signIn(await createPerson(service, ['engineering']), `/work?job=${jobId}`);
    const person = await createPerson(service, ['admin']);
    const second = await signIn(person, `/work?job=${jobId}`);
    await second.getByRole('link', { name: 'Name the site' }).click();
    await second.getByLabel(/^Site/).fill('half a na');
    await first.getByRole('link', { name: 'Name the site' }).click();
    await first.getByRole('button', { name: 'Claim' }).click();
    await first.getByRole('button', { name: 'Release' }).waitFor();
    await second.getByText(/Already claimed by person-/).waitFor();
    expect(await second.getByLabel(/^Site/).inputValue()).toBe('half a na');
    expect(await second.getByRole('button', { name: 'Submit' }).count()).toBe(0);
    await first.getByRole('button', { name: 'Release' }).click();
    await second.getByRole('button', { name: 'Submit' }).click();
    await second.getByText('Finished by you with success').waitFor();
  });

  test('shows no button to a reader, and names the missing role to others', async () => {
    await start('Look at a device');
    const reader = await signInWith(['apiread'], '/work');
    await reader.getByRole('link', { name: 'Look at the device' }).click();
    await reader.getByText('Is edge-1 fine?').waitFor();
    expect(await reader.getByRole('button', { name: 'It is fine' }).count()).toBe(0);
    const stranger = await signInWith(['designer'], '/work');
    await stranger.getByRole('alert').getByText('engineering').waitFor();
  });

  test('has no accessibility findings in either theme', async () => {
    await start('Ask for a site');
    const page = await signInWith(['admin'], '/work');
    await page.getByRole('table', { name: 'My work' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'Name the site' }).first().click();
    await page.getByLabel(/^Site/).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });
});
