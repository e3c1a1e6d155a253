import { defineConfig } from 'vitest/config';
import { ProgramsFirst } from './test/sequencer.ts';

/** Files that only the long form runs (`npm run check`): they run every guide, or provoke limits, losses and stops for minutes. */
const LONG_ONLY = [
  'test/console/admin/admin.test.ts',
  'test/console/automations/automations.test.ts',
  'test/console/compliance/remediation.test.ts',
  'test/console/devices/commands.test.ts',
  'test/console/jobs/job-page.test.ts',
  'test/console/live.test.ts',
  'test/console/trees/editor.test.ts',
  'test/console/work/work.test.ts',
  'test/deploy/clients.test.ts',
  'test/docs/guides.test.ts',
  'test/domains/notifications/losses.test.ts',
  'test/domains/workflow/jobs/poison.test.ts',
  'test/rest/configuration_manager/demo-devices.test.ts',
  'test/rest/openapi/openapi-examples.test.ts',
  'test/security/limits/input-limits-threads.test.ts',
  'test/security/limits/job-limits.test.ts',
  'test/southbound/packages/shared-library.test.ts',
  'test/start/backup-commands.test.ts',
  'test/start/blocked-thread.test.ts',
  'test/start/draining.test.ts',
  'test/start/stopping.test.ts',
  'test/start/telemetry.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: process.env.LONG === '1' ? [] : LONG_ONLY,
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/laws.ts'],
    // processes, not threads: tests send signals, start and kill servers, and load native code
    pool: 'forks',
    // one more than the two cores of a small machine: tests wait for processes, databases and clocks a quarter of their time
    maxWorkers: 3,
    sequence: { sequencer: ProgramsFirst },
    // a file leaves nothing behind (its service, database and processes end with it), so that modules load once a worker:
    // loading them for each file took a third of the time
    isolate: false,
    // for what hangs, not for what is slow: machines differ by a factor of five
    testTimeout: 180_000,
    // What decides whether a commit lands tries a failed test once more and reports it: its machines are shared.
    retry: process.env.CI ? 1 : 0,
    hookTimeout: 120_000,
    // every answer is held against its documented schema
    env: { CHECK_ANSWERS: '1' },
  },
});
