import { expect, test } from 'vitest';
import { axeFindings, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { createPerson } from '../../helpers/people.ts';
import { openService } from '../../helpers/service.ts';

const SUCCESS = { type: 'standard', state: 'success' };

/** A project file with one workflow, named with characters that change how text is displayed. */
const projectFile = (name: string) => ({
  name,
  description: 'Invented for a test',
  components: [
    {
      iid: 1,
      type: 'workflow',
      reference: '7c1e4f0a-2b3c-4d5e-8f90-a1b2c3d4e5f6',
      folder: '/',
      document: {
        _id: '7c1e4f0a-2b3c-4d5e-8f90-a1b2c3d4e5f6',
        name: 'Say hello',
        type: 'automation',
        tasks: {
          workflow_start: { name: 'workflow_start' },
          workflow_end: { name: 'workflow_end' },
          a1: {
            name: 'makeData',
            app: 'WorkFlowEngine',
            summary: 'Greets <b>everybody</b>\u202e',
            location: 'Application',
            locationType: null,
            type: 'operation',
            variables: {
              incoming: { input: 'hello', outputType: 'string', variables: {} },
              outgoing: { output: null },
            },
          },
        },
        transitions: {
          workflow_start: { a1: SUCCESS },
          a1: { workflow_end: SUCCESS },
          workflow_end: {},
        },
      },
    },
  ],
});

describeInBrowser('the projects of the console', async () => {
  const service = await openService();
  const { signIn, signInWith } = await openConsole(service);

  test('imports a project after a dry run, and shows its components, its workflow and its references', async () => {
    const page = await signInWith(['admin'], '/projects');
    await page.getByRole('heading', { name: 'No project yet' }).waitFor();
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import project' });
    await dialog.getByLabel('Project file').setInputFiles({
      name: 'hello.project.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(projectFile('Greetings'))),
    });
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    await dialog.getByRole('region', { name: 'Result of the dry run' }).waitFor();
    expect((await service.send('admin', 'GET', '/automation-studio/projects')).json).toMatchObject({
      data: [],
    });
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Projects' }).getByRole('link', { name: 'Greetings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Greetings' }).waitFor();
    await page.getByText('Everything that this project needs is available.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('dialog', { name: 'Used by' }).getByText('No document uses it.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('table', { name: 'Components' }).getByRole('link').click();
    const tasks = page.getByRole('table', { name: 'Tasks' });
    // Foreign text is shown as text, and what nobody could see as a mark.
    await tasks.getByText('Greets <b>everybody</b>⟨U+202E⟩').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  test('lists workflows of projects for a member who may not read projects', async () => {
    const member = await createPerson(service, ['support']);
    const imported = await service.send('admin', 'POST', '/automation-studio/projects/import', {
      project: projectFile('Farewells'),
    });
    expect(imported.status, imported.text).toBe(200);
    const { _id, members } = (imported.json as { data: { _id: string; members: object[] } }).data;
    const changed = await service.send('admin', 'PATCH', `/automation-studio/projects/${_id}`, {
      members: [...members, { type: 'account', reference: member.id, role: 'viewer' }],
    });
    expect(changed.status, changed.text).toBe(200);
    const page = await signIn(member, '/workflows');
    const workflow = page.getByRole('row').filter({ hasText: 'Say hello' });
    await workflow.getByText('a project', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('opens the workflow that an answer of the studio links to', async () => {
    const ends = { workflow_start: { name: 'workflow_start' }, workflow_end: { name: 'workflow_end' } };
    const made = async (name: string) => {
      const automation = { name, type: 'automation', tasks: ends, transitions: {} };
      const answer = await service.send('admin', 'POST', '/automation-studio/automations', { automation });
      return answer.json as { edit: string };
    };
    await made('Other');
    const { edit } = await made('Check uplinks & ports');
    const page = await signInWith(['admin'], '/jobs');
    await page.goto(edit);
    await page.getByRole('link', { name: 'Check uplinks & ports' }).waitFor();
    expect(await page.getByRole('link', { name: 'Other' }).count()).toBe(0);
  });

  test('lists the issues of a project file and stores nothing', async () => {
    const page = await signInWith(['admin'], '/projects');
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import project' });
    await dialog.getByLabel('Project file').setInputFiles({
      name: 'broken.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify({ name: 7, components: [{ iid: 'one' }] })),
    });
    await dialog.getByRole('button', { name: 'Dry run' }).click();
    const problems = dialog.getByRole('alert');
    await problems.getByText('project.name', { exact: true }).waitFor();
    await problems.getByText('project.components.0.iid', { exact: true }).waitFor();
  });

  test('says which roles are missing to an account that may not see projects', async () => {
    const page = await signInWith(['support'], '/projects');
    await page.getByRole('heading', { name: 'Your account may not see this' }).waitFor();
    await page.getByText(/Needs one of the roles: .*designer/).waitFor();
    const areas = page.getByRole('navigation', { name: 'Main' });
    // The area leads to the page of it that the account may see.
    const area = areas.getByRole('link', { name: 'Projects' });
    expect(await area.getAttribute('href')).toBe('/console/workflows');
  });
});
