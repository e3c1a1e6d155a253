import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const text = readFileSync('docs/security-asvs.md', 'utf8');
/** Cells of the rows of requirements: number, level, reminder, state, where or why. */
const rows = text
  .split('\n')
  .filter((line) => /^\| \d+\.\d+\.\d+/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('each test and file that the table of requirements cites exists', () => {
  const cited = [...text.matchAll(/`((?:test|server|routers|db|docs)\/[\w./-]+)`/g)].map(([, path]) =>
    String(path),
  );
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => `docs/${path}`);
  expect(cited.length).toBeGreaterThan(100);
  expect([...new Set([...cited, ...linked])].filter((path) => !existsSync(path))).toEqual([]);
});

test('the table counts its requirements as its introduction says', () => {
  const count = (state: string) => rows.filter((cells) => cells[4] === state).length;
  const reported = /Of (\d+) requirements (\d+) hold, (\d+) do not apply/.exec(text.replaceAll('\n', ' '));
  expect([rows.length, count('holds'), count('does not apply')]).toEqual(reported?.slice(1).map(Number));
});
