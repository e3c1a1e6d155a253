import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { addPackage } from '#server/domains/integrations/index.ts';
import { axeFindings, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openWebService } from '../../helpers/devices/web-service.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { openService } from '../../helpers/service.ts';
import { task, workflowOf } from '../../helpers/workflows.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/adapters/warehouse');

describeInBrowser('adapter packages in the console', async () => {
  const directory = await makeFolder();
  const service = await openService({ ADAPTERS_DIR: directory });
  const web = await openWebService((_, response) => response.end('[]'));
  const { signInWith } = await openConsole(service);
  const post = async (path: string, body: object) => {
    const answer = await service.send('admin', 'POST', path, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.json as { created?: { _id: string } };
  };
  const connection = {
    host: '127.0.0.1',
    port: web.port,
    authentication: { username: 'svc', password: 'Hush-1' },
  };
  let workflow = '';
  beforeAll(async () => {
    const about = { app: 'Ledger', location: 'Adapter', locationType: 'Ledger', type: 'automatic' as const };
    const automation = workflowOf('Needs a ledger', { a1: task('getEntry', {}, { result: null }, about) });
    workflow = (await post('/automation-studio/automations', { automation })).created?._id ?? '';
  });

  test('an empty list names the commands of the operator; a package shows its methods, process and log', async () => {
    const page = await signInWith(['admin'], '/adapter-packages');
    await page.getByRole('heading', { name: 'No adapter package yet' }).waitFor();
    await page.getByText('npm run adapter -- add SOURCE').waitFor();
    await addPackage(service.db, directory, FIXTURE, new Date());
    await page.reload();
    const table = page.getByRole('table', { name: 'Adapter packages' });
    await table.getByRole('link', { name: 'Warehouse' }).click();
    await page.getByRole('heading', { name: 'No adapter of this package yet' }).waitFor();
    await page.getByRole('table', { name: 'Methods' }).getByText('replaceItem').waitFor();
    const properties = { id: 'wh', type: 'Warehouse', properties: connection };
    await post('/adapters', { properties: { name: 'wh', model: 'Warehouse', type: 'Adapter', properties } });
    await post('/adapters/wh/test', {});
    await page.reload();
    const card = page.getByRole('region', { name: 'Adapter wh' });
    await card.getByText('online', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Show the log' }).click();
    await card.getByText(/the process \d+ was started/).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await card.getByRole('button', { name: 'Restart' }).click();
    await card.getByRole('button', { name: 'Stop' }).click();
    await card.getByText('stopped', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Start' }).click();
    await card.getByText('stopped', { exact: true }).waitFor({ state: 'detached' });
  });

  test('a reader sees the package and its process, and neither the log nor the buttons', async () => {
    const page = await signInWith(['apiread'], '/adapter-packages/Warehouse');
    const card = page.getByRole('region', { name: 'Adapter wh' });
    await card.waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    await page.goto('/console/adapter-packages/Nothing');
    await page.getByRole('alert').getByText('Package Nothing does not exist').waitFor();
  });

  test('a user who may not read packages sees which role is needed', async () => {
    const page = await signInWith(['engineering'], '/adapter-packages');
    await page.getByText(/Needs one of the roles/).waitFor();
  });

  test('a workflow shows what it lacks, what would provide it, and where that is done', async () => {
    const page = await signInWith(['admin'], `/workflows/${workflow}`);
    const missing = page.getByRole('region', { name: 'Missing parts' });
    await missing.getByText('Create an adapter of type Ledger').waitFor();
    await missing.getByText('npm run adapter -- add SOURCE').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await missing.getByRole('link', { name: 'Import the OpenAPI document' }).click();
    await page.getByRole('heading', { name: 'Integration models', exact: true }).waitFor();
  });
});
