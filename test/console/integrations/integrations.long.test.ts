import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { axeFindings, describeInBrowser, openConsole } from '../../helpers/console/browser.ts';
import { openService } from '../../helpers/service.ts';

describeInBrowser('the integrations of the console', async () => {
  const service = await openService();
  const { signInWith } = await openConsole(service);
  const system = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify([{ name: '<script>site-1</script>' }]));
  });
  system.listen(0, '127.0.0.1');
  await once(system, 'listening');
  afterAll(() => {
    system.close();
  });
  const { port } = system.address() as AddressInfo;
  const model = {
    openapi: '3.0.3',
    info: { title: 'Sites', version: '1.0', description: 'Invented for a test' },
    servers: [{ url: `http://127.0.0.1:${port}` }],
    paths: {
      '/sites': {
        get: {
          operationId: 'listSites',
          summary: 'Lists sites',
          responses: { 200: { description: 'All sites' } },
        },
      },
      '/sites/{id}': { get: { operationId: 'getSite', responses: { 200: { description: 'A site' } } } },
    },
  };

  test('imports a model, adds an integration, tests its connection and tries a task', async () => {
    const page = await signInWith(['admin'], '/integration-models');
    await page.getByRole('heading', { name: 'No model yet' }).waitFor();
    await page.getByRole('button', { name: 'Import model' }).click();
    const importing = page.getByRole('dialog', { name: 'Import model' });
    const check = async (text: string) => {
      await importing.getByLabel('OpenAPI document').setInputFiles({
        ...{ name: 'checked.json', mimeType: 'application/json', buffer: Buffer.from(text) },
      });
      await importing.getByRole('button', { name: 'Check without importing' }).click();
    };
    // What is wrong with a document stays in the dialog until another one is chosen.
    await check('{"openapi":"3.0.3","info":{"title":"Sites"},"paths":[]}');
    await importing.getByRole('alert').getByText('model.info.version', { exact: true }).waitFor();
    await importing.getByRole('alert').getByText('model.paths', { exact: true }).waitFor();
    await check(JSON.stringify({ ...model, paths: { ...model.paths, '/links/{id}/{id}': { get: {} } } }));
    await importing.getByText('is left out: its path names {id} twice').waitFor();
    expect(await importing.getByRole('alert').count()).toBe(0);
    await importing.getByLabel('OpenAPI document').setInputFiles({
      name: 'sites.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(model)),
    });
    await importing.getByRole('button', { name: 'Import model' }).click();
    await importing.waitFor({ state: 'detached' });
    await page
      .getByRole('table', { name: 'Integration models' })
      .getByRole('link', { name: 'Sites:1.0' })
      .waitFor();

    await page.goto('/console/integrations');
    await page.getByRole('button', { name: 'Add integration' }).click();
    const adding = page.getByRole('dialog', { name: 'Add integration' });
    await adding.getByLabel('Name').fill('sites');
    await adding.getByRole('button', { name: 'Add integration' }).click();
    await page.getByRole('table', { name: 'Integrations' }).getByRole('link', { name: 'sites' }).click();
    await page.getByRole('button', { name: 'Test the connection' }).click();
    await page.getByText('answers', { exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Try listSites' }).click();
    const trying = page.getByRole('dialog', { name: 'Try listSites' });
    await trying.getByRole('button', { name: 'Run task' }).click();
    await trying.getByText('<script>site-1</script>').waitFor();
    await trying.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByText('answered', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Try getSite' }).click();
    const values = page.getByRole('dialog', { name: 'Try getSite' }).getByLabel('Values as JSON');
    expect(JSON.parse(await values.inputValue())).toEqual({ id: '' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  });
});
