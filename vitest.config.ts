import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // processes, not threads: tests send signals, start and kill servers, and load native code
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // every answer is held against its documented schema
    env: { CHECK_ANSWERS: '1' },
  },
});
