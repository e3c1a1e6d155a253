import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { appRouter } from '#routers/index.ts';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { openHarbour } from '../helpers/console/harbour.ts';
import { createPerson } from '../helpers/people.ts';

/** A form of the console: where it is, how it is filled in and sent. */
type Form = {
  /** Its source below `web/src`. */
  file: string;
  path: string;
  /** Names of the buttons to press, in order, until the form is open. */
  open?: readonly (string | RegExp)[];
  /** Texts by the labels of their fields. */
  text: Readonly<Record<string, string>>;
  /** Options by the labels of their lists. */
  choose?: Readonly<Record<string, string>>;
  /** Boxes that are ticked. */
  tick?: readonly string[];
  /** What is done before it can be opened. */
  prepare?: (page: Page) => Promise<void>;
  send: string | RegExp;
  /** The status of the answer at last; absent: 200. */
  status?: number;
  /** What somebody else does while the form is filled in. */
  meanwhile?: () => Promise<unknown>;
  /** Fields that are folded at first, by their summary. */
  unfold?: string | RegExp;
};

/** Elements that hold a form, and controls into which text is typed. */
const FORM = /<(FormDialog|form|Dialog|CodeEditor)\b/g;
const TEXT = /<(Text\w*|JsonField|SchemaForm|SelectionField|\w+Fields|CodeEditor|input|textarea)\b/;
/** Forms that are not walked below, and why. */
const OTHERS: Readonly<Record<string, number>> = {
  // Sign-in itself.
  'screens/sign-in/sign-in.tsx': 1,
  // A password, a code or a key, which is asked for anew by each session that sets up a second factor.
  'screens/account/confirm-code.tsx': 1,
  'screens/account/second-factor.tsx': 2,
  'screens/account/security-keys.tsx': 3,
  // It changes the password with which the person of this file signs in again.
  'screens/account/account-page.tsx': 1,
  // Choices only: no text is typed into them.
  'screens/admin/access/membership.tsx': 1,
  // What is typed stands in the address.
  'screens/backups/find-in-backups.tsx': 1,
  'screens/commands/target-picker.tsx': 1,
  // A search.
  'app/shell/command-palette.tsx': 1,
  // It only chooses, for the form around it, which is walked.
  'ui/selection/selection-dialog.tsx': 1,
};

/** What is filled in and sent without an element of a form. */
const WITHOUT_ELEMENT: Readonly<Record<string, number>> = { 'screens/commands/plan-form.tsx': 1 };

/** Returns how many forms with text each source of the console has. */
async function formsOfSources(): Promise<Map<string, number>> {
  const found = new Map<string, number>(Object.entries(WITHOUT_ELEMENT));
  for (const name of await readdir('web/src', { recursive: true })) {
    if (!name.endsWith('.tsx') || name === 'ui/overlays/dialog.tsx' || name.startsWith('ui/code')) continue;
    const source = await readFile(join('web/src', name), 'utf8');
    const forms = [...source.matchAll(FORM)].filter(({ index, 1: element }) => {
      if (element === 'CodeEditor') return true;
      const end = source.indexOf(`</${element}>`, index);
      // Its name is part of what is searched otherwise.
      return TEXT.test(source.slice(index + 1, end));
    });
    if (forms.length > 0) found.set(name, forms.length);
  }
  return found;
}

/** Runs in a page. Returns everything that the controls of its dialog hold, or those of the page without one, in their order. */
const HELD = `[...(document.querySelector('[role="dialog"]') ?? document.querySelector('main'))
  .querySelectorAll('input, textarea, select, .cm-content')].map((one) =>
  one.type === 'checkbox' ? one.checked : one.type === 'file' ? null : (one.value ?? one.innerText))`;

describeInBrowser('what is typed into a form', async () => {
  const harbour = await openHarbour();
  const { service, account, exported, treeId, groupId, campaignId, automationId, waiting, failing } = harbour;
  const [first, second] = harbour.proposalIds;
  const { newContext, signIn } = await openConsole(service);
  const person = await createPerson(service, ['admin']);
  const node = `/trees/${treeId}`;
  const FORMS: readonly Form[] = [
    {
      file: 'screens/account/tokens.tsx',
      path: '/account',
      open: ['Create token'],
      text: { Name: 'nightly', 'Days until it expires': '12' },
      send: 'Create token',
    },
    {
      file: 'screens/admin/access/account-page.tsx',
      path: `/admin/accounts/${account.id}`,
      open: ['Edit'],
      text: { Name: 'Grace', Email: 'grace@example.net' },
      send: 'Save',
    },
    {
      file: 'screens/admin/access/account-page.tsx',
      path: `/admin/accounts/${account.id}`,
      open: ['Set password'],
      text: { 'New password': 'copper-lantern-over-water-42' },
      send: 'Set password',
    },
    {
      file: 'screens/admin/access/accounts-page.tsx',
      path: '/admin/accounts',
      open: ['Create account'],
      text: {
        'Username of the account': 'ada',
        'Password of the account': 'copper-lantern-over-water-42',
        Name: 'Ada',
      },
      send: 'Create account',
    },
    {
      file: 'screens/admin/access/groups-page.tsx',
      path: '/admin/groups',
      open: ['Create group'],
      text: { Name: 'Pilots', Description: 'They guide ships' },
      send: 'Create group',
    },
    {
      file: 'screens/admin/access/roles-page.tsx',
      path: '/admin/roles',
      open: ['Create role'],
      text: { Name: 'pilot', Description: 'Guides ships' },
      send: 'Create role',
    },
    {
      file: 'screens/admin/access/service-accounts-page.tsx',
      path: '/admin/service-accounts',
      open: ['Create service account'],
      text: { Name: 'robot', Description: 'Loads ships' },
      send: 'Create service account',
    },
    {
      file: 'screens/admin/git/remote-form.tsx',
      path: '/admin/git',
      open: ['Create remote'],
      text: { Name: 'Charts', Repository: 'https://git.example.net/charts.git' },
      send: 'Create remote',
    },
    {
      file: 'screens/admin/git/start-run.tsx',
      path: '/admin/git',
      open: [/^Charts$/, 'Push'],
      text: { 'Branch of a proposal': 'tides' },
      send: 'Try the push',
    },
    {
      file: 'screens/admin/notifications/channel-form.tsx',
      path: '/admin/notifications?tab=channels',
      open: ['Create channel'],
      text: {
        Name: 'Watch',
        URL: 'https://watch.example.net/',
        'Key of the signature': 'a-key-of-the-watch-42',
      },
      send: 'Create channel',
    },
    {
      file: 'screens/admin/notifications/rule-form.tsx',
      path: '/admin/notifications',
      open: ['Create rule'],
      text: { Name: 'Every failure', 'Only with one of these tags': 'harbour' },
      tick: ['Desk', 'all events'],
      send: 'Create rule',
    },
    {
      file: 'screens/admin/policies/retention-page.tsx',
      path: '/admin/retention',
      text: { 'Days of ended jobs': '90', 'Number kept of backups': '12' },
      meanwhile: () => harbour.admin.retention.replaceSettings({ jobs: { days: 50 } }),
      send: 'Save',
    },
    {
      file: 'screens/admin/secrets/provider-form.tsx',
      path: '/admin/secrets',
      open: ['Create provider'],
      choose: { Kind: 'environment' },
      text: {
        Name: 'more',
        Description: 'For tests',
        'First characters of the variables': 'SWITCHYARD_SECRET_PIER_',
      },
      send: 'Create provider',
    },
    {
      file: 'screens/admin/secrets/test-provider.tsx',
      path: '/admin/secrets',
      open: ['Actions of variables', 'Test'],
      text: { 'Path of a secret': 'lamp', 'Name of its value': 'oil' },
      send: 'Test',
    },
    {
      file: 'screens/admin/sign-in/provider-form.tsx',
      path: '/admin/sign-in',
      open: ['Create provider'],
      text: { Name: 'harbour', Issuer: 'https://login.example.net', 'Client id': 'switchyard' },
      send: 'Create provider',
    },
    {
      file: 'screens/admin/system/adapter-dialogs.tsx',
      path: '/admin/adapters',
      open: ['Import adapter'],
      text: {
        Configuration: JSON.stringify({
          name: 'tower',
          type: 'Adapter',
          model: '@switchyard/adapter-orchestrator',
          properties: { id: 'tower', type: 'Orchestrator', properties: { host: '127.0.0.1' } },
        }),
      },
      send: 'Import adapter',
    },
    {
      file: 'screens/admin/system/outgoing-page.tsx',
      path: '/admin/outgoing',
      open: ['Add target'],
      text: { Host: 'tides.example.net', Ports: '8443' },
      send: 'Add target',
    },
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
      open: ['New automation'],
      text: { Name: 'Rounds', Workflow: 'Ask for a site', Description: 'By day' },
      send: 'Create automation',
    },
    {
      file: 'screens/automations/run-trigger.tsx',
      path: `/automations/${automationId}`,
      open: ['Run'],
      text: { Site: 'oslo' },
      send: 'Run',
    },
    {
      file: 'screens/backups/backup-now.tsx',
      path: '/backups',
      open: ['Back up devices'],
      unfold: 'Retries, windows and more',
      text: { 'Name pattern': 'quay-*', 'Description of the backups': 'before the storm' },
      send: /^Back up 3 devices/,
    },
    {
      file: 'screens/backups/policy.tsx',
      path: '/backups?tab=policy',
      text: { 'Newest backups of each device': '40', Days: '400' },
      meanwhile: () => harbour.admin.configurationManager.replaceBackupPolicy({ keep: { count: 41 } }),
      send: 'Save',
    },
    {
      file: 'screens/backups/schedule-form.tsx',
      path: '/backups?tab=schedules',
      open: ['Create schedule'],
      choose: { Schedule: 'day' },
      text: { Name: 'Nightly', 'Name pattern': 'quay-*', 'Time of day': '03:15' },
      send: 'Create schedule',
    },
    {
      file: 'screens/campaigns/campaign-form.tsx',
      path: '/campaigns',
      open: ['Create campaign'],
      choose: { 'Golden config': treeId },
      text: { Name: 'Time servers', 'Name pattern': 'quay-3', 'Devices of each wave': '1, 2' },
      send: /^Make proposals for 1 device/,
    },
    {
      file: 'screens/campaigns/campaign-actions.tsx',
      path: `/campaigns/${campaignId}`,
      open: ['Approve'],
      text: { Comment: 'Read by two' },
      send: 'Approve 1 proposals',
    },
    {
      file: 'screens/commands/plan-form.tsx',
      path: '/commands?devices=quay-1',
      text: { 'Commands to send': 'show version' },
      send: /^Run 1 command on 1 device/,
      // The device itself refuses the connection.
      status: 502,
    },
    {
      file: 'screens/commands/save-template.tsx',
      path: '/commands?devices=quay-1',
      prepare: (page) => page.getByLabel('Commands to send').fill('show clock'),
      open: ['Save as command template'],
      text: { Name: 'Clocks', Description: 'Of all quays' },
      send: 'Save template',
    },
    {
      file: 'screens/compliance/proposals/proposal-actions.tsx',
      path: `/proposals/${first}`,
      open: ['Approve'],
      text: { Comment: 'Read twice' },
      send: 'Approve this text',
    },
    {
      file: 'screens/compliance/proposals/proposal-actions.tsx',
      path: `/proposals/${second}`,
      open: ['Reject'],
      text: { Reason: 'The harbour is closed until Monday' },
      send: 'Reject',
    },
    {
      file: 'screens/compliance/run-dialog.tsx',
      path: `/compliance?tree=${treeId}`,
      open: ['Run compliance'],
      text: { 'Only these devices': 'quay-1, quay-2' },
      send: 'Check 2 devices',
    },
    {
      file: 'screens/devices/bulk-dialog.tsx',
      path: '/devices',
      prepare: (page) => page.getByRole('checkbox', { name: 'Select row 1', exact: true }).check(),
      open: ['Add to group'],
      text: { 'Name of the new group': 'Piers' },
      send: 'Add 1 device',
    },
    {
      file: 'screens/devices/group-page.tsx',
      path: `/device-groups/${groupId}`,
      open: ['Add devices'],
      text: { Devices: 'quay-2\nquay-3' },
      send: 'Add 2 devices',
    },
    {
      file: 'screens/devices/group-page.tsx',
      path: `/device-groups/${groupId}`,
      open: ['Rename'],
      text: { Name: 'Old quays', Description: 'Of stone' },
      send: 'Save',
    },
    {
      file: 'screens/devices/group-page.tsx',
      path: `/device-groups/${harbour.selectedGroupId}`,
      open: ['Change selection'],
      text: { 'Name pattern': 'quay-1' },
      send: 'Save: 1 device',
    },
    {
      file: 'screens/devices/groups-page.tsx',
      path: '/device-groups',
      open: ['Create group'],
      text: { Name: 'Moles', Description: 'Of stone', Devices: 'quay-1' },
      send: 'Create group',
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
      file: 'screens/inventory/csv-import-page.tsx',
      path: '/inventory/import',
      text: { 'Or pasted text': 'name,host,device_type\nquay-9,192.0.2.11,cisco-ios\n' },
      send: 'Dry run',
    },
    {
      file: 'screens/inventory/source-form.tsx',
      path: '/inventory/sources',
      open: ['Create source'],
      text: { Name: 'register', Address: 'https://register.example.net', Token: 'a-token-of-the-register' },
      send: 'Create source',
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
      file: 'screens/projects/projects-page.tsx',
      path: '/projects',
      open: ['Create project'],
      text: { Name: 'Harbour', Description: 'All of it' },
      send: 'Create project',
    },
    {
      file: 'screens/trees/node-devices.tsx',
      path: `${node}?tab=devices`,
      open: ['Assign devices'],
      text: { Names: 'quay-8, quay-9' },
      send: 'Assign 2 devices',
    },
    {
      file: 'screens/trees/tree-dialogs.tsx',
      path: '/trees',
      open: ['Create golden config'],
      choose: { 'Device type': 'cisco-ios' },
      text: { Name: 'Moles', Description: 'Of stone' },
      send: 'Create',
    },
    {
      file: 'screens/trees/tree-dialogs.tsx',
      path: '/trees',
      open: ['Import'],
      text: { 'Or its text': JSON.stringify([{ data: exported, newName: 'Copied' }]) },
      send: 'Import',
    },
    {
      file: 'screens/trees/tree-dialogs.tsx',
      path: node,
      open: [/^More/, 'Branch initial'],
      text: { 'Name of the new version': 'spring' },
      send: 'Create version',
    },
    {
      file: 'screens/trees/tree-dialogs.tsx',
      path: node,
      open: [/^Node/, 'Add a node below'],
      text: { Name: 'north' },
      send: /^Add/,
    },
    {
      file: 'screens/trees/template-editor.tsx',
      path: node,
      text: { Template: 'hostname mole' },
      send: 'Save template',
    },
    {
      file: 'screens/trees/node-variables.tsx',
      path: `${node}?tab=variables`,
      text: { Variables: '{ "site": "mole" }' },
      send: 'Save variables',
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

  const context = await newContext();
  /** What happens to requests that change something. */
  let fault: 'none' | 'cut' | 'conflict' = 'none';
  const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>;
  await context.route('**/trpc/*', (route: Route) => {
    const name = new URL(route.request().url()).pathname.slice('/trpc/'.length);
    if (fault === 'cut') return route.abort('connectionreset');
    if (fault === 'none' || procedures[name]?._def.type !== 'mutation') return route.continue();
    const data = { code: 'CONFLICT', httpStatus: 409, path: name, requestId: 'a-conflict' };
    return route.fulfill({
      status: 409,
      json: { error: { message: 'It was changed meanwhile', code: -32009, data } },
    });
  });
  const isMutation = (url: string) =>
    procedures[new URL(url).pathname.slice('/trpc/'.length)]?._def.type === 'mutation';
  const control = async (page: Page, name: string | RegExp) => {
    const named = { name, exact: true };
    const found = page
      .getByRole('button', named)
      .or(page.getByRole('menuitem', named))
      .or(page.getByRole('main').getByRole('link', named));
    return found.last();
  };

  test('stands in a table of all forms: a new one is added to it', async () => {
    const walked = new Map<string, number>(Object.entries(OTHERS));
    for (const { file } of FORMS) walked.set(file, (walked.get(file) ?? 0) + 1);
    const listed = Object.fromEntries([...walked].sort());
    const found = Object.fromEntries([...(await formsOfSources())].sort());
    expect(listed).toEqual(found);
  });

  test.each(FORMS.map((form, at) => ({ ...form, at })))(
    '$at: $file keeps it when the connection is lost, after a conflict and while its user signs in again, and sends it then',
    async ({
      path,
      open = [],
      text,
      choose = {},
      tick = [],
      prepare,
      unfold,
      meanwhile,
      send,
      status = 200,
    }) => {
      fault = 'none';
      // Anew for each form: what happens to one leaves nothing to the next.
      await context.clearCookies();
      const page = await signIn(person, path, context);
      page.setDefaultTimeout(10_000);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await prepare?.(page);
      for (const name of open) await (await control(page, name)).click();
      if (unfold) await page.locator('summary').filter({ hasText: unfold }).click();
      for (const [label, option] of Object.entries(choose))
        await page.getByLabel(label, { exact: true }).last().selectOption(option);
      for (const name of tick) await page.getByRole('checkbox', { name, exact: true }).check();
      for (const [label, typed] of Object.entries(text))
        await page.getByLabel(label, { exact: true }).last().fill(typed);
      const dialogs = page.getByRole('dialog');
      const form = (await dialogs.count()) > 0 ? dialogs.last() : page;
      const button = form.getByRole('button', { name: send, exact: true }).last();
      await expect.poll(() => button.isEnabled()).toBe(true);
      const typed = await page.evaluate<unknown[]>(HELD);
      // What the sending shows below the form comes after it.
      const held = () =>
        expect.poll(async () => (await page.evaluate<unknown[]>(HELD)).slice(0, typed.length)).toEqual(typed);

      fault = 'cut';
      const cut = page.waitForEvent('requestfailed');
      await button.click();
      await cut;
      await expect.poll(() => button.isEnabled()).toBe(true);
      await held();

      fault = 'conflict';
      const refused = page.waitForResponse((response) => response.status() === 409);
      await button.click();
      await refused;
      fault = 'none';
      const keep = page.getByRole('button', { name: /^Keep mine/ });
      if (path.startsWith('/trees/') && (await keep.isVisible())) await keep.click();
      await expect.poll(() => button.isEnabled()).toBe(true);

      await meanwhile?.();
      await context.clearCookies();
      await button.click();
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.getByLabel('Username').fill(person.username);
      await dialog.getByLabel('Password').fill(person.password);
      await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => button.isEnabled()).toBe(true);
      await held();

      const sent = page.waitForResponse(
        (response) => isMutation(response.url()) && response.request().method() === 'POST',
      );
      await button.click();
      const response = await sent;
      expect(response.status(), await response.text()).toBe(status);
      await page.close();
    },
  );
});
