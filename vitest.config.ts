import { defineConfig } from 'vitest/config';
import { LATE_OPTIMISATION } from './server/app/optimisation.cjs';
import { isLong } from './test/helpers/long.ts';
import { LongestFirst } from './test/sequencer.ts';

/** Only the long form runs these (`npm run check`): they provoke limits, losses and stops for minutes, or need many processes. */
const LONG = 'test/**/*.long.test.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: isLong ? [] : [LONG],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/laws.ts'],
    // processes, not threads: tests send signals, start and kill servers, and load native code
    pool: 'forks',
    // for two cores: tests wait for processes, databases and clocks, and four workers left a third of the time unused
    maxWorkers: 5,
    execArgv: [
      // a fifth of the workers' CPU time was V8's compiler
      ...LATE_OPTIMISATION,
      // V8 compiles regular expressions this way in processes that have run for long: their loops fill a stack (0160), and
      // take several times as long
      ...(isLong ? ['--no-regexp-optimization'] : []),
    ],
    sequence: { sequencer: LongestFirst },
    // a file leaves nothing behind (its service, database and processes end with it), so that modules load once a worker:
    // loading them for each file took a third of the time
    isolate: false,
    // transformed modules are kept between runs: otherwise every run begins with seconds of transforming the server
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest' },
    // for what hangs, not for what is slow: machines differ by a factor of five
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // What decides whether a commit lands tries a failed test again and reports it: its machines are shared.
    retry: process.env.CI ? 2 : 0,
    // every answer is held against its documented schema
    env: { CHECK_ANSWERS: '1' },
  },
});
