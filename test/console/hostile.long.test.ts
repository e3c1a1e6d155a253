import { expect, test } from 'vitest';
import { describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { longestTaskOf } from '../helpers/console/longest-task.ts';
import { openScreen } from '../helpers/console/screens.ts';
import { unique } from '../helpers/procedures.ts';
import { openService } from '../helpers/service.ts';
import { view, workflowOf } from '../helpers/workflows.ts';

/** The longest task of the page that hostile data may cause, in milliseconds of CPU time. */
const FREEZE_MS = 200;
const ESCAPE = String.fromCharCode(27);
const RIGHT_TO_LEFT = String.fromCharCode(0x202e);
const NUL_LIKE = String.fromCharCode(7);
const SCRIPT = '<script>window.hacked = true</script><img src=x onerror="window.hacked = true">';
const HOSTILE = `${ESCAPE}[31mred${ESCAPE}[0m ${RIGHT_TO_LEFT}txet ${NUL_LIKE} ${SCRIPT}`;

const nested = (levels: number): unknown => (levels === 0 ? HOSTILE : { below: nested(levels - 1) });

describeInBrowser('hostile data', async () => {
  const service = await openService({}, { works: true });
  const { signInWith } = await openConsole(service);
  const { automationStudio, configurationManager, operationsManager } = await service.as('admin');

  const startWith = async (name: string, value: unknown) => {
    await automationStudio.createWorkflow({
      automation: workflowOf(name, {
        a1: { ...view({ variables: '$var.job.value' }), summary: `Show ${HOSTILE}`.slice(0, 100) },
      }),
    });
    const { data } = await operationsManager.startJob({ workflow: name, options: { variables: { value } } });
    return data._id;
  };

  test.each([
    ['script, escape and bidirectional characters', HOSTILE, '␛[31mred'],
    ['50 levels of objects', nested(50), '␛[31mred'],
    ['a line of a million characters', `${'x'.repeat(1_000_000)}${HOSTILE}`, 'xxxxxxxxxx'],
    [
      'names of members',
      { [`${SCRIPT}${RIGHT_TO_LEFT}`]: HOSTILE, __proto__x: { constructor: HOSTILE } },
      '␛[31mred',
    ],
  ])('%s are shown as text, run nothing and freeze nothing', async (label, value, shown) => {
    const name = unique(`Hostile ${label}`);
    const id = await startWith(name, value);
    const page = await signInWith(['admin'], '/jobs');
    await page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name }).waitFor();
    const longest = await longestTaskOf(page, async () => {
      await page.evaluate(`history.pushState({}, '', '/console/jobs/${id}?view=table&task=a1')`);
      const open = page.getByRole('button', { name: 'Open value' });
      await page.getByRole('region', { name: 'Input', exact: true }).waitFor();
      if ((await open.count()) > 0) await open.first().click();
      await page.getByText(shown).first().waitFor();
    });
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    const text = (await page.locator('main').allTextContents()).join('');
    expect([ESCAPE, RIGHT_TO_LEFT, NUL_LIKE].filter((raw) => text.includes(raw))).toEqual([]);
    console.info(`${label}: longest task ${longest} ms of CPU time`);
    expect(longest).toBeLessThanOrEqual(FREEZE_MS);
  });

  test('names among which a field lets choose are shown with marks for what nobody could see', async () => {
    const groupName = unique(`Edge${RIGHT_TO_LEFT}txet`);
    await configurationManager.createDeviceGroup({ groupName, deviceNames: [] });
    const page = await signInWith(['admin'], '/commands');
    const choices = page.getByLabel('Group', { exact: true }).locator('option');
    await expect
      .poll(() => choices.allTextContents())
      .toContainEqual(expect.stringContaining('Edge⟨U+202E⟩txet'));
    expect((await choices.allTextContents()).join('')).not.toContain(RIGHT_TO_LEFT);
  });

  test('no page draws or says a character raw that nobody could see, whichever document holds it', async () => {
    const raw = `Edge${RIGHT_TO_LEFT}txet${NUL_LIKE}`;
    const name = unique(`Hostile parts ${RIGHT_TO_LEFT}`);
    const tasks = { a1: { ...view({ [raw]: raw }), name: raw, app: raw, type: raw, summary: raw } };
    const { created } = await automationStudio.createWorkflow({
      automation: workflowOf(name, tasks as never),
    });
    const page = await signInWith(['admin'], '/account');
    const found: string[] = [];
    for (const path of [`/workflows/${created._id}`, `/workflows/${created._id}?tab=graph`, '/workflows']) {
      await openScreen(page, path);
      await page.getByText('⟨U+202E⟩').first().waitFor({ state: 'attached' });
      const drawn =
        await page.evaluate<string>(`[...document.querySelectorAll('body, body *')].flatMap((one) =>
        ['title', 'aria-label', 'placeholder'].map((name) => one.getAttribute(name) ?? '')).concat(document.body.innerText, document.title).join(' ')`);
      for (const one of [RIGHT_TO_LEFT, NUL_LIKE])
        if (drawn.includes(one)) found.push(`${path}: ${JSON.stringify(one)}`);
    }
    expect(found).toEqual([]);
  });
});
