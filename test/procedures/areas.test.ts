import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { appRouter } from '#routers/index.ts';

/** `automationStudio` as its file is called: `automation-studio`. */
const fileOf = (area: string) =>
  new URL(`${area.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.test.ts`, import.meta.url);

const areas = Object.keys(appRouter._def.record);

test('the router lists its areas, such as automationStudio', () => {
  expect(areas).toContain('automationStudio');
});

test.each(areas)('the procedures of %s have a test file that calls them through a typed caller', (area) => {
  expect(readFileSync(fileOf(area), 'utf8')).toMatch(new RegExp(`\\b${area}\\b[^'"\`]*\\.\\w+\\(`));
});
