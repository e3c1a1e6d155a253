import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDemo } from '../helpers/processes/demo.ts';
import { missingPrograms, runSteps, stepsIn } from './guide-runner.ts';

/** Time that one page may take on a slow machine, in milliseconds. */
const PAGE_MS = 180_000;

/** Pages that say that their programs are started in a clone of the repository. */
const IN_CLONE = /^docs\/(client\/|adapters\.md$)/;
/** Where docs/adapters.md says that the data of the demo lies. */
const DATA_FOLDER = '/tmp/switchyard-demo-k3Fq9Z';

const documents = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name))
  .sort();
const read = (path: string) => readFileSync(path, 'utf8');

/** The tour of README comes first: it expects the devices of the demo as they are at the start. */
const guides = ['README.md', ...documents]
  .map((path) => ({ path, steps: stepsIn(read(path)) }))
  .filter(({ steps }) => steps.length > 0);
const total = guides.reduce((sum, { steps }) => sum + steps.length, 0);

const missing = missingPrograms();
const isRunnable = missing.length === 0;
let demo: Awaited<ReturnType<typeof startDemo>>;
let ran = 0;

if (isRunnable) {
  const password = /^ADMIN_PASSWORD=(\S+) npm run demo$/m.exec(read('README.md'))?.[1] ?? '';
  beforeAll(async () => {
    demo = await startDemo(password);
  });
  afterAll(async () => {
    demo.child.kill('SIGTERM');
    await once(demo.child, 'exit');
    process.stdout.write(`guides: ${ran} of ${total} requests answered what the pages show\n`);
  });
}

test.skipIf(!isRunnable).each(guides)(
  `the requests of $path run sequentially and answer what the page shows (needs bash, curl, jq; missing: ${missing.join() || 'none'})`,
  { timeout: PAGE_MS + 20_000 },
  async ({ path, steps }) => {
    const own = mkdtempSync(join(tmpdir(), 'switchyard-guides-'));
    const folder = IN_CLONE.test(path) ? process.cwd() : own;
    try {
      const replace = ['http://127.0.0.1:3000', demo.url] as const;
      const placed = steps.map((step) => ({
        ...step,
        request: step.request.replaceAll(DATA_FOLDER, demo.folder),
      }));
      const mismatches = await runSteps(placed, { replace, timeoutMs: PAGE_MS, folder });
      ran += steps.length - mismatches.length;
      expect(mismatches).toEqual([]);
    } finally {
      rmSync(own, { recursive: true });
    }
  },
);

test('the pages about daily work have requests', () => {
  const withRequests = guides.map(({ path }) => path);
  const expected = [
    'accounts',
    'automations',
    'devices',
    'mop',
    'operating-jobs',
    'triggers',
    'troubleshooting',
  ];
  expect(withRequests).toEqual(
    expect.arrayContaining(['README.md', ...expected.map((name) => `docs/${name}.md`)]),
  );
});

const REQUEST = /^(\$ |(→ )?(GET|POST|PUT|PATCH|DELETE) +\/)/m;

test('no page shows a request that is not run', () => {
  const others = ['README.md', ...documents].flatMap((path) =>
    [...read(path).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([text, language, code = '']) =>
      // A shell block runs from its first line, which needs the prompt for that.
      (language === 'sh' ? code.startsWith('$ ') : !REQUEST.test(code)) ? [] : [`${path}: ${text}`],
    ),
  );
  expect(others).toEqual([]);
});

/** The anchors that a page has: its headings, as they are shown on the web, and the ids that it sets itself. */
const anchorsOf = (page: string) => [
  ...[...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  ),
  ...[...page.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id),
];

test('links between the pages lead to pages and headings that exist', () => {
  const broken = ['README.md', ...documents].flatMap((path) =>
    [...read(path).matchAll(/\]\((?!\w+:)([^)#]*)(?:#([^)]+))?\)/g)].flatMap(([link, file = '', anchor]) => {
      const target = file === '' ? path : join(dirname(path), file);
      const isRight = existsSync(target) && (!anchor || anchorsOf(read(target)).includes(anchor));
      return isRight ? [] : [`${path}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

test('the messages that docs/troubleshooting.md quotes are those of the product', () => {
  const sources = ['server', 'db'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => read(join(folder, name))),
  );
  const tables = read('docs/troubleshooting.md')
    .split(/^\| (?:the task|it|the answer) says.*$/m)
    .slice(1);
  const quoted = tables.flatMap((table) =>
    [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `([^`]+)`/gm)].map(([, message = '']) => message),
  );
  expect(quoted.length).toBeGreaterThan(8);
  const isPrinted = (message: string) =>
    message.split('…').every((part) => sources.some((source) => source.includes(part.trim())));
  expect(quoted.filter((message) => !isPrinted(message))).toEqual([]);
});
