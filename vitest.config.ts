import { defineConfig } from 'vitest/config';
export default defineConfig({
  test: { include: ['test/**/*.test.ts'], env: { CHECK_ANSWERS: '1' }, testTimeout: 15000, maxWorkers: 2 },
});
