import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFindings, describeInBrowser, openConsole } from '../helpers/console/browser.ts';
import { timedClicks } from '../helpers/console/timed-clicks.ts';
import { openLab } from '../helpers/devices/lab.ts';
import { closedPort, orchestratorAdapter } from '../helpers/devices/orchestrator.ts';
import { task, view, workflowOf } from '../helpers/workflows.ts';

/** A task that asks a device for its version. */
const ask = (host: string) => ({
  a1: {
    ...task(
      'sendCommand',
      { host, commands: ['show version'], connection_options: { device_type: 'cisco_xe' } },
      { result: null },
      { type: 'automatic', app: 'AutomationGateway' },
    ),
    summary: `Ask ${host} for its version`,
  },
});

describeInBrowser('troubles at three in the morning', async () => {
  const lab = await openLab({ works: true });
  const { signInWith } = await openConsole(lab);
  const admin = await lab.as('admin');
  const start = async (name: string, tasks: Parameters<typeof workflowOf>[1]) => {
    await admin.automationStudio.createWorkflow({ automation: workflowOf(name, tasks) });
    return (await admin.operationsManager.startJob({ workflow: name })).data._id;
  };
  const ended = (id: string) =>
    expect
      .poll(async () => (await admin.operationsManager.getJob({ jobId: id })).data.status, {
        timeout: 60_000,
      })
      .toBe('error');
  const job = (page: Page, name: string) =>
    page.getByRole('table', { name: 'Jobs' }).getByRole('link', { name });

  test('five of them lead from the front page to their cause and the next step, in at most a minute and six clicks each', async () => {
    const { figures, timed } = timedClicks();
    await lab.addDownDevice('night-dark');
    await lab.addDevice('night-login');
    await admin.automationgateway.updateHost({
      kind: 'cli',
      name: 'night-login',
      updates: { password: 'not-the-password' },
    });
    await ended(await start('Version of the dark one', ask('night-dark')));
    await ended(await start('Version of the locked one', ask('night-login')));
    await start('Change with a confirmation', {
      a1: {
        ...view({ message: 'Go on?', variables: {}, btn_success: 'Continue' }),
        summary: 'Confirm the change',
      },
    });
    await lab.done('POST', '/adapters', {
      properties: orchestratorAdapter('night-orchestrator', await closedPort()),
    });
    const page = await signInWith(['admin'], '/jobs');
    const front = async () => {
      await page.goto('/console/jobs');
      await page.getByRole('table', { name: 'Jobs' }).waitFor();
    };

    await front();
    await timed('a device does not answer', async (click) => {
      await click(job(page, 'Version of the dark one'));
      await page
        .getByRole('region', { name: 'What went wrong' })
        .getByText('night-dark: the host refuses the connection')
        .waitFor();
      await click(page.getByRole('button', { name: /^Jump to first error/ }));
      await click(page.getByRole('main').getByRole('link', { name: 'night-dark' }));
      await page.getByRole('alert').getByText('the host refuses the connection').waitFor();
      await click(page.getByRole('button', { name: 'Test whether it responds' }));
      await page.getByRole('dialog').waitFor();
      await click(page.getByRole('dialog').getByRole('button', { name: /^Test/ }));
      await page
        .getByRole('dialog')
        .getByText(/refuses the connection/)
        .waitFor();
    });

    await front();
    await timed('credentials are rejected', async (click) => {
      await click(job(page, 'Version of the locked one'));
      await page
        .getByRole('region', { name: 'What went wrong' })
        .getByText('night-login: the device rejects the credential')
        .waitFor();
      await click(page.getByRole('button', { name: /^Jump to first error/ }));
      await click(page.getByRole('main').getByRole('link', { name: 'night-login' }));
      await click(page.getByRole('button', { name: 'Change', exact: true }));
      await page.getByRole('dialog').getByLabel('Password on the device').waitFor();
    });

    await front();
    await timed('a job waits for a person', async (click) => {
      await click(job(page, 'Change with a confirmation'));
      const waits = page.getByRole('region', { name: 'Waiting for a person' });
      await waits.waitFor();
      expect(await axeFindings(page)).toEqual([]);
      await click(waits.getByRole('link', { name: 'Confirm the change' }));
      await page.getByText('Go on?').waitFor();
      await page.getByRole('button', { name: 'Continue' }).waitFor();
    });

    await front();
    await timed('an adapter is down', async (click) => {
      await click(
        page
          .getByRole('status', { name: 'Trouble' })
          .getByRole('link', { name: 'The system of night-orchestrator does not answer' }),
      );
      await page
        .getByRole('table', { name: 'Adapters' })
        .getByRole('row', { name: /night-orchestrator/ })
        .getByText('does not answer')
        .waitFor();
      await click(page.getByRole('button', { name: 'Actions of night-orchestrator' }));
      await click(page.getByRole('menuitem', { name: 'Test connection' }));
      await click(page.getByRole('button', { name: 'Test 1 adapter' }));
      await page
        .getByRole('dialog')
        .getByText(/refused|refuses/)
        .waitFor();
    });

    await admin.workflowEngine.deactivateJobWorker({});
    await front();
    await timed('the queue is held', async (click) => {
      const trouble = page.getByRole('status', { name: 'Trouble' });
      await click(trouble.getByRole('link', { name: '2 problems of the service' }));
      await click(
        page
          .getByRole('region', { name: 'What is wrong' })
          .getByRole('link', { name: 'No job starts: the job worker is off' }),
      );
      await click(page.getByRole('button', { name: 'Activate job worker' }));
      await page.getByRole('button', { name: 'Deactivate job worker' }).waitFor();
    });
    console.info(figures.join('\n'));
  });
});
