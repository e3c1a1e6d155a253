import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { sourceFiles } from './helpers/source-files.ts';

/** Text files of the repository; applied migrations are frozen and keep the citations of their time. */
const files = sourceFiles()
  .filter((name) => /\.(ts|mts|mjs|cjs|js|md|sh|yml|yaml)$|^\.ci\/|^\.npmrc$/.test(name))
  .filter((name) => !/^db\/migrations\//.test(name) && name !== 'test/citations.test.ts');

const read = (path: string) => readFileSync(path, 'utf8');
const decisions = new Set(sourceFiles('docs/decisions').map((path) => /(\d{4})-/.exec(path)?.[1]));
const anchors = new Map<string, Set<string> | null>();

/** The ids that a page of the contract offers for citation; null when the page does not exist. */
function anchorsOf(page: string) {
  const path = `docs/contract/${page}.md`;
  if (!anchors.has(page)) {
    const ids = existsSync(path)
      ? [...read(path).matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
      : null;
    anchors.set(page, ids && new Set(ids));
  }
  return anchors.get(page);
}

/** Standards whose sections may be cited by number, because anybody can open them. */
const STANDARD = /\b(RFC \d+|OpenAPI [\d.]+|JSON Schema [\d-]+|PEP \d+|NIST SP [\d-]+|ASVS [\d.]+),? $/;

type Citation = { text: string; isRight: boolean };

/** Commands of package.json. */
const commands = new Set(Object.keys(JSON.parse(read('package.json')).scripts));
/** All names that the code uses; pages are no evidence that a name exists. */
const names = new Set(
  files
    .filter((path) => !path.endsWith('.md') && path !== 'test/citations.test.ts')
    .flatMap((path) => read(path).match(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g) ?? []),
);

/** Reports the names of the code in a page: files and folders, commands of npm, variables of the environment and constants. */
function citeCode(text: string, cite: (whole: string, isRight: boolean) => void) {
  for (const [, file = ''] of text.matchAll(
    /`((?:\.ci|bench|db|deploy|docs|routers|server|test|web\/src)\/[\w./-]+)`/g,
  ))
    cite(file, existsSync(file));
  for (const [whole, command = ''] of text.matchAll(/\bnpm run (?:-s |--silent )?([a-z][\w:-]*)/g))
    cite(whole, commands.has(command));
  for (const [, code = ''] of text.matchAll(/`([^`\n]+)`/g))
    for (const [name] of code.matchAll(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g)) cite(name, names.has(name));
}

/** Citations in a text: sections of the contract, decisions, pages, files that pages name, and any `§`. */
function citationsIn(text: string, path: string): Citation[] {
  const found: Citation[] = [];
  const cite = (whole: string, isRight: boolean) => found.push({ text: whole, isRight });
  for (const [whole, page = '', id = '', more = ''] of text.matchAll(
    /\bcontract\/([a-z]+)#([a-z0-9]+(?:[.-][a-z0-9]+)*)((?:, #[a-z0-9]+(?:[.-][a-z0-9]+)*)*)/g,
  )) {
    const ids = [id, ...[...more.matchAll(/#([a-z0-9.-]+)/g)].map(([, one = '']) => one)];
    for (const one of ids) cite(whole, anchorsOf(page)?.has(one) ?? false);
  }
  for (const [whole, numbers = ''] of text.matchAll(/\bdecisions? (\d{4}(?:(?:,| and| to) \d{4})*)\b/gi))
    for (const [number] of numbers.matchAll(/\d{4}/g)) cite(whole, decisions.has(number));
  for (const [whole, number = ''] of text.matchAll(/\bdecisions\/(\d{4})(?!\d|-[a-z])/g))
    cite(whole, decisions.has(number));
  // A page is named from the root of the repository, or from where it is cited.
  for (const [whole] of text.matchAll(/(?<![\w./<${-])[\w./-]*[\w-]\.md\b/g))
    if (!whole.startsWith('/'))
      cite(whole, existsSync(whole) || existsSync(normalize(join(dirname(path), whole))));
  if (path.endsWith('.md')) citeCode(text, cite);
  for (const match of text.matchAll(/§/g))
    cite(
      text.slice(Math.max(0, match.index - 30), match.index + 8),
      STANDARD.test(text.slice(0, match.index)),
    );
  return found;
}

test('every citation leads to a section, a decision, a page or a public standard', () => {
  const dead: string[] = [];
  let count = 0;
  for (const path of files) {
    for (const { text, isRight } of citationsIn(read(path), path)) {
      count++;
      if (!isRight) dead.push(`${path}: ${text}`);
    }
  }
  process.stdout.write(`citations: ${count} in ${files.length} files, ${dead.length} dead\n`);
  expect(count).toBeGreaterThan(1000);
  expect(dead).toEqual([]);
});

test('a section of the contract has its id once', () => {
  for (const path of files.filter((name) => name.startsWith('docs/contract/'))) {
    const ids = [...read(path).matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
    expect(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      path,
    ).toEqual([]);
  }
});

test('the index of decisions lists each of them once under its title, by subject and number', () => {
  const subjects = read('docs/decisions/README.md')
    .split('\n## ')
    .map((subject) =>
      [...subject.matchAll(/^\| \[(\d{4})\]\(([\w-]+\.md)\) +\| (.+?) +\|$/gm)].map(
        ([, number, file, title]) => `${file}: ${number} ${title}`,
      ),
    );
  for (const listed of subjects) expect(listed).toEqual(listed.toSorted());
  const titles = readdirSync('docs/decisions')
    .filter((file) => /^\d{4}-/.test(file))
    .map((file) => `${file}: ${read(`docs/decisions/${file}`).split('\n')[0]?.slice(2)}`);
  expect(subjects.flat().sort()).toEqual(titles.sort());
});

test('a number belongs to one decision', () => {
  const numbers = readdirSync('docs/decisions').flatMap((file) => /^\d{4}/.exec(file) ?? []);
  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
});

test.each([
  'contract/lifecycle#99.9',
  'contract/lifecycle#0.7, #99.9',
  'contract/nowhere#1',
  'decision 9999',
  'decisions 0054 and 9999',
  'docs/decisions/9999',
  'docs/nowhere.md',
  'lifecycle §0.7',
])('reports a citation of "%s"', (text) => {
  expect(citationsIn(`(${text})`, 'server/main.ts').some(({ isRight }) => !isRight)).toBe(true);
});

test('reports a file of the code that a page names and that does not exist', () => {
  const found = citationsIn('See `server/main.ts` and `server/nowhere.ts`.', 'docs/architecture.md');
  expect(found.filter(({ isRight }) => !isRight).map(({ text }) => text)).toEqual(['server/nowhere.ts']);
});

test('reports a command of npm and a variable that a page names and that do not exist', () => {
  const text = 'Run `npm run check` or `npm run nowhere` with `LOG_LEVEL=debug` or `NO_SUCH_VARIABLE=1`.';
  const dead = citationsIn(text, 'docs/architecture.md').filter(({ isRight }) => !isRight);
  expect(dead.map(({ text: name }) => name)).toEqual(['npm run nowhere', 'NO_SUCH_VARIABLE']);
});

test.each([
  'contract/lifecycle#0.7',
  'contract/lifecycle#0.7, #4.2',
  'decision 0054',
  'docs/decisions/0054',
  'docs/operations.md',
  'RFC 6749 §5.2',
])('accepts a citation of "%s"', (text) => {
  const found = citationsIn(`(${text})`, 'server/main.ts');
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter(({ isRight }) => !isRight)).toEqual([]);
});
