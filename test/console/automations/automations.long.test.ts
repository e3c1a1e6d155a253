import { expect, test } from 'vitest';
import {
  axeFindings,
  axeInBothThemes,
  describeInBrowser,
  openConsole,
} from '../../helpers/console/browser.ts';
import { body } from '../../helpers/documents/transformations.ts';
import { openService } from '../../helpers/service.ts';
import { view, workflowOf } from '../../helpers/workflows.ts';

const DAY_MS = 86_400_000;

describeInBrowser('the automations of the console', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);
  const { automationStudio, operationsManager, jsonForms, transformations } = await service.as('admin');
  await jsonForms.createForm({
    form: {
      name: 'Which site',
      schema: {
        type: 'object',
        required: ['site'],
        properties: { site: { type: 'string', title: 'Site' } },
      },
    },
  });
  await automationStudio.createWorkflow({ automation: workflowOf('Visit a site', { a1: view() }) });
  const createAutomation = async (name: string) => {
    const { data } = await operationsManager.createAutomation({
      automation: { name, componentType: 'workflows', componentName: 'Visit a site' },
    });
    const common = { actionType: 'automations', actionId: data._id, enabled: true };
    await operationsManager.createTrigger({
      trigger: { ...common, type: 'manual', name: 'By hand', formId: 'Which site' },
    });
    await operationsManager.createTrigger({
      trigger: {
        ...common,
        type: 'schedule',
        name: 'Every day',
        firstRunAt: Date.now() + DAY_MS,
        repeatUnit: 'day',
        repeatFrequency: 1,
      },
    });
    return data._id;
  };

  test('an automation is created with a trigger, and run with the form of a trigger', async () => {
    const page = await signInWith(['admin'], '/automations');
    await page.getByRole('heading', { name: 'No automation yet' }).waitFor();
    await page.getByRole('button', { name: 'Create automation' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create automation' });
    await dialog.getByLabel('Name').fill('Visits');
    await dialog.getByLabel('Workflow').fill('No such workflow');
    await dialog.getByRole('button', { name: 'Create automation' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Workflow').fill('Visit a site');
    await dialog.getByRole('button', { name: 'Create automation' }).click();
    await page.getByRole('region', { name: 'Trigger Run Visits' }).waitFor();
    const id = await createAutomation('Visits with a form');
    await page.goto(`/console/automations/${id}`);
    await page.getByRole('region', { name: 'Trigger By hand' }).getByRole('button', { name: 'Run' }).click();
    const run = page.getByRole('dialog', { name: 'Run By hand' });
    await run.getByLabel(/^Site/).waitFor();
    await run.getByRole('button', { name: 'Run' }).click();
    // The browser itself refuses to send a required field that is empty.
    const isMissing = (input: unknown) =>
      (input as { validity: { valueMissing: boolean } }).validity.valueMissing;
    expect(await run.getByLabel(/^Site/).evaluate(isMissing)).toBe(true);
    await run.getByLabel(/^Site/).fill('oslo');
    await run.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('heading', { level: 1, name: 'Visit a site' }).waitFor();
  });

  test('a trigger of each type is created from the page of its automation, and only by an account that may', async () => {
    const id = await createAutomation('Visits by the clock');
    const transformation = await transformations.createTransformation({
      transformation: { name: 'Sites of a call', ...body({}, [], {}) },
    });
    const page = await signInWith(['admin'], `/automations/${id}`);
    const dialog = page.getByRole('dialog', { name: 'Create trigger' });
    const create = async (name: string, startedBy: string, fill: () => Promise<unknown>) => {
      await page.getByRole('button', { name: 'Create trigger' }).click();
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByLabel('Started by').selectOption({ label: startedBy });
      await fill();
      await dialog.getByRole('button', { name: 'Create trigger' }).click();
    };
    const card = (name: string) => page.getByRole('region', { name: `Trigger ${name}` });

    await create('At noon', 'A schedule', async () => {
      await dialog.getByLabel('Time of day').fill('12:00');
      await dialog.getByLabel('Missed runs').selectOption({ label: 'Run the last one' });
      await dialog
        .getByRole('region', { name: 'Next times' })
        .getByText(/12:00 UTC/)
        .first()
        .waitFor();
      expect(await axeFindings(page)).toEqual([]);
    });
    await card('At noon')
      .getByText(/^each day at 12:00/)
      .waitFor();
    await card('At noon').getByText('the last one is run').waitFor();

    await create('By a call', 'An HTTP call', () => dialog.getByLabel('Route').fill('no route'));
    await dialog
      .getByRole('alert')
      .getByText(/A-Z a-z 0-9/)
      .first()
      .waitFor();
    await dialog.getByLabel('Route').fill('visit-sites');
    await dialog.getByLabel('Transformation of the input').selectOption({ label: 'Sites of a call' });
    await dialog.getByRole('button', { name: 'Create trigger' }).click();
    await card('By a call').getByText('POST /operations-manager/triggers/endpoint/visit-sites').waitFor();
    const { data: triggers } = await operationsManager.listTriggers({ queryOptions: { actionId: id } });
    expect(triggers.find(({ name }) => name === 'By a call')).toMatchObject({ jst: transformation._id });

    await create('After a run', 'An event', () =>
      dialog
        .getByLabel('Event')
        .selectOption({ label: 'complianceBatchFinished of @vendor/configuration-manager' }),
    );
    await card('After a run').getByText('@vendor/configuration-manager complianceBatchFinished').waitFor();

    await create('With its form', 'A user', () =>
      dialog.getByLabel('Form', { exact: true }).fill('Which site'),
    );
    await card('With its form')
      .getByText(/A user, with the form/)
      .waitFor();

    const reader = await signInWith(['apiread'], `/automations/${id}`);
    await reader.getByRole('region', { name: 'Trigger At noon' }).waitFor();
    expect(await reader.getByRole('button', { name: 'Create trigger' }).count()).toBe(0);
  });

  test('a trigger of each type is changed in the form that creates it, and what others changed meanwhile is named first', async () => {
    const id = await createAutomation('Visits to change');
    const common = { actionType: 'automations', actionId: id, enabled: true };
    for (const trigger of [
      { type: 'endpoint', name: 'Called', routeName: 'changed-visits' },
      { type: 'eventSystem', name: 'After all', source: '@vendor/operations-manager', topic: 'jobCompleted' },
    ] as const) {
      await operationsManager.createTrigger({ trigger: { ...common, ...trigger } });
    }
    const stored = async (name: string) => {
      const { data } = await operationsManager.listTriggers({ queryOptions: { actionId: id } });
      return data.find((trigger) => trigger.name === name) as Record<string, unknown> | undefined;
    };
    const page = await signInWith(['admin'], `/automations/${id}`);
    const card = (name: string) => page.getByRole('region', { name: `Trigger ${name}` });
    const dialog = page.getByRole('dialog', { name: /^Change trigger / });
    const open = async (name: string) => {
      // By keyboard alone: the name has the focus first.
      await card(name).getByRole('button', { name: 'Change', exact: true }).focus();
      await page.keyboard.press('Enter');
      await expect
        .poll(() =>
          dialog
            .getByLabel('Name')
            .evaluate((input: { matches: (selector: string) => boolean }) => input.matches(':focus')),
        )
        .toBe(true);
    };
    const save = async () => {
      await dialog.getByLabel('Name').press('Enter');
      await dialog.waitFor({ state: 'detached' });
    };

    await open('By hand');
    await dialog.getByLabel('Description').fill('Ask first');
    await dialog.getByLabel('Site').fill('bergen');
    expect(await axeInBothThemes(page)).toEqual([]);
    const { _id, formId } = (await stored('By hand')) as { _id: string; formId: string };
    await operationsManager.updateTrigger({ id: _id, trigger: { description: 'Meanwhile' } });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/changed by another request.*description/)
      .waitFor();
    expect(await dialog.getByLabel('Description').inputValue()).toBe('Ask first');
    await save();
    await page.getByText('The trigger is saved').waitFor();
    await card('By hand').getByText('Ask first').waitFor();
    expect(await stored('By hand')).toMatchObject({ formId, formData: { site: 'bergen' } });

    await open('By hand');
    await dialog.getByLabel('Form', { exact: true }).fill('No such form');
    await dialog.getByLabel('Form', { exact: true }).press('Enter');
    await dialog
      .getByRole('alert')
      .getByText(/No such form/)
      .first()
      .waitFor();
    expect(await dialog.getByLabel('Form', { exact: true }).inputValue()).toBe('No such form');
    await dialog.getByRole('button', { name: 'Back' }).click();

    await open('Called');
    await dialog.getByLabel('Route').fill('visits-by-call');
    await dialog.getByLabel('Schema of the input').fill('{ "type": "object" }');
    await dialog.getByLabel('Input values become job variables of their own').check();
    expect(await axeInBothThemes(page)).toEqual([]);
    await save();
    expect(await stored('Called')).toMatchObject({
      ...{ routeName: 'visits-by-call', schema: { type: 'object' }, legacyWrapper: false },
    });

    await open('After all');
    expect(await dialog.getByLabel('Event').inputValue()).toBe('@vendor/operations-manager jobCompleted');
    await dialog.getByLabel('Event').selectOption({ label: 'jobErrored of @vendor/operations-manager' });
    await dialog.getByLabel('Enabled').uncheck();
    await save();
    expect(await stored('After all')).toMatchObject({ topic: 'jobErrored', enabled: false });

    // What repeats since a first moment keeps the seconds of it, and may then follow a rule.
    const { firstRunAt } = (await stored('Every day')) as { firstRunAt: number };
    await open('Every day');
    await dialog.getByLabel('Unit of the interval').selectOption('week');
    await dialog.getByLabel('Units between two starts').fill('2');
    await dialog.getByLabel('Input values', { exact: true }).fill('{ "site": "oslo" }');
    expect(await axeInBothThemes(page)).toEqual([]);
    await save();
    await card('Every day').getByText('Every 2 weeks').waitFor();
    expect(await stored('Every day')).toMatchObject({
      ...{ firstRunAt, repeatUnit: 'week', repeatFrequency: 2, formData: { site: 'oslo' } },
    });
    await open('Every day');
    await dialog
      .getByLabel('Times')
      .selectOption({ label: 'By a calendar, an interval or a cron expression' });
    await dialog.getByLabel('Schedule', { exact: true }).selectOption('cron');
    await dialog.getByLabel('Cron expression').fill('15 4 * * 1-5');
    await save();
    await card('Every day').getByText('Monday to Friday at 04:15 (UTC)').waitFor();
    expect(await stored('Every day')).toMatchObject({ repeatUnit: null, schedule: { cron: '15 4 * * 1-5' } });

    const reader = await signInWith(['apiread'], `/automations/${id}`);
    await reader.getByRole('region', { name: 'Trigger Every day' }).waitFor();
    expect(await reader.getByRole('button', { name: 'Change', exact: true }).count()).toBe(0);
  });

  test('a form asks for devices by their properties, and shows how many they are before the run', async () => {
    const host = { host: '192.0.2.9', device_type: 'cisco_ios', username: 'x', password: 'y' };
    for (const name of ['berth-1', 'berth-2']) {
      await service.send('admin', 'POST', '/automationgateway/inventory/cli', { host: { ...host, name } });
    }
    await jsonForms.createForm({
      form: {
        name: 'Which devices',
        schema: { type: 'object', properties: { devices: { type: 'object', title: 'Devices to visit' } } },
        uiSchema: { devices: { 'ui:field': 'selection' } },
      },
    });
    const { data } = await operationsManager.createAutomation({
      automation: { name: 'Visits of many', componentType: 'workflows', componentName: 'Visit a site' },
    });
    await operationsManager.createTrigger({
      trigger: {
        ...{ actionType: 'automations', actionId: data._id, enabled: true },
        ...{ type: 'manual', name: 'Of devices', formId: 'Which devices' },
      },
    });
    const page = await signInWith(['admin'], `/automations/${data._id}`);
    await page
      .getByRole('region', { name: 'Trigger Of devices' })
      .getByRole('button', { name: 'Run' })
      .click();
    const run = page.getByRole('dialog', { name: 'Run Of devices' });
    await run.getByText('Devices to visit').waitFor();
    await run.getByLabel('Name pattern').fill('berth-*');
    await run
      .getByRole('status', { name: 'Selected devices' })
      .getByText('2 devices: berth-1, berth-2')
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await run.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Visit a site' }).waitFor();
    const jobId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const { data: job } = await operationsManager.getJob({ jobId });
    expect(JSON.stringify(job)).toContain('"pattern":"berth-*"');
  });

  test('a schedule shows its next run, is disabled, and its automation is cloned and deleted', async () => {
    const id = await createAutomation('Daily visits');
    const page = await signInWith(['admin'], `/automations/${id}`);
    const schedule = page.getByRole('region', { name: 'Trigger Every day' });
    await schedule.getByText('skipped').waitFor();
    await schedule.getByText('Every day', { exact: true }).nth(1).waitFor();
    expect(await schedule.getByRole('time').count()).toBeGreaterThan(0);
    await schedule.getByRole('button', { name: 'Disable' }).click();
    await schedule.getByText('disabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Clone' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clone' }).click();
    await page.getByRole('button', { name: 'Open the copy' }).click();
    await page.getByRole('heading', { level: 1, name: /Daily visits.+/ }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete automation' }).click();
    await page.waitForURL(/\/console\/automations$/);
  });

  test('a trigger with a cron expression says when it starts, in the list and on its automation', async () => {
    const id = await createAutomation('Visits of workdays');
    await operationsManager.createTrigger({
      trigger: {
        ...{ actionType: 'automations', actionId: id, enabled: true, type: 'schedule', name: 'Workdays' },
        schedule: { cron: '15 4 * * 1-5', timeZone: 'Europe/Berlin' },
      },
    });
    const page = await signInWith(['admin'], '/automations?tab=triggers&q=Workdays');
    const row = page.getByRole('table', { name: 'Triggers' }).getByRole('row', { name: /^Workdays/ });
    await row.getByText('Monday to Friday at 04:15 (Europe/Berlin)').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await row.getByRole('link', { name: 'Workdays' }).click();
    const card = page.getByRole('region', { name: 'Trigger Workdays' });
    await card.getByText('Monday to Friday at 04:15 (Europe/Berlin)').waitFor();
    await card.getByText('15 4 * * 1-5', { exact: true }).waitFor();
  });

  test('shows no actions to an account that may only read', async () => {
    const id = await createAutomation('Visits to read');
    const page = await signInWith(['apiread'], `/automations/${id}`);
    await page.getByRole('region', { name: 'Trigger By hand' }).waitFor();
    for (const name of ['Run', 'Disable', 'Clone', 'Delete']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    }
  });

  test('has no accessibility findings in either theme', async () => {
    const id = await createAutomation('Visits in both themes');
    const page = await signInWith(['admin'], '/automations');
    await page.getByRole('table', { name: 'Automations' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.goto('/console/automations?tab=triggers');
    await page.getByRole('table', { name: 'Triggers' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.goto(`/console/automations/${id}`);
    await page.getByRole('region', { name: 'Trigger By hand' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
    await page.goto('/console/automations/forms');
    await page.getByRole('table', { name: 'Forms' }).waitFor();
    expect(await axeInBothThemes(page)).toEqual([]);
  });
});
