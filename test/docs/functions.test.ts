import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isLong } from '../helpers/long.ts';
import { ErrorSources } from './functions/errors.ts';
import { type DeclaredFunction, Modules, moduleOf } from './functions/modules.ts';
import { lacksOf, SENTENCE } from './functions/rules.ts';

/** Folders whose files are all imported by others; a domain shows its `index.ts` alone. */
const SHARED = ['server/kernel', 'server/southbound', 'server/durable', 'server/http', 'db'];

/** Schemas and tables read as declarations: what they are called with is text that the OpenAPI document shows. */
const DECLARATIONS = /^db\/(schemas|tables)\//;

/** Each file is parsed once for all tests. */
const modules = new Modules();
const errors = new ErrorSources(modules);

/** Sources of folders, with everything below them. */
const sourcesIn = (folders: readonly string[]): string[] =>
  folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .filter((path) => path.endsWith('.ts') && !DECLARATIONS.test(path));

/** Returns the functions that files export, each once. */
const exportedBy = (paths: readonly string[]): DeclaredFunction[] => [
  ...new Set(paths.flatMap((path) => [...modules.exportsOf(path).values()])),
];

/** Returns a line for each thing that the documentation of functions lacks. */
const lackingIn = (functions: readonly DeclaredFunction[]): string[] =>
  functions.flatMap((one) =>
    lacksOf(one, errors).map((lack) => `${one.module.path}: ${one.name} lacks ${lack}`),
  );

test.skipIf(!isLong)(
  'every function that a domain or a shared folder exports says what it does, accepts, returns and throws',
  () => {
    const doors = readdirSync('server/domains', { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `server/domains/${name}/index.ts`);
    const all = exportedBy([...doors, ...sourcesIn(SHARED)]);
    expect(lackingIn(all)).toEqual([]);
    expect(all.length).toBeGreaterThan(1100);
  },
);

test.skipIf(!isLong)('every function that a file of a domain exports to others says what it does', () => {
  const all = exportedBy(sourcesIn(['server/domains']));
  expect(lackingIn(all).filter((lack) => lack.endsWith(SENTENCE))).toEqual([]);
  expect(all.length).toBeGreaterThan(2000);
});

test.each([
  ['a function without a comment', 'export function f(): void {}', [SENTENCE]],
  [
    'tags without a sentence',
    '/** @throws ServiceError NOT_FOUND */\nexport function f(): void {}',
    [SENTENCE],
  ],
  ['a plain parameter', '/** Sets it. */\nexport function f(wide: boolean): void {}', ['@param wide']],
  [
    'a field of an object type',
    '/** Sets it. */\nexport function f({ id, wide }: { id: string; wide: boolean }): void {}',
    ['@param { id, wide }'],
  ],
  ['a parameter with a default', '/** Sets it. */\nexport function f(wide = true): void {}', ['@param wide']],
  [
    'a tag without words',
    '/** Sets it. @param wide */\nexport function f(wide: boolean): void {}',
    ['@param wide'],
  ],
  [
    'a tag of a parameter that the function does not have',
    '/** Sets it. @param high in metres */\nexport function f(): void {}',
    ['the parameter high, which @param describes'],
  ],
  ['a plain result', '/** Counts it. */\nexport const f = (): number => 1;', ['@returns']],
  ['a result without a type', '/** Counts it. */\nexport const f = () => 1;', ['@returns']],
  [
    'an error of its own',
    "import { notFound } from '#server/kernel/errors.ts';\n/** Sets it. */\nexport function f(): void { throw notFound('Tag', ''); }",
    ['@throws'],
  ],
  [
    'an error of a function that it calls',
    "import { ServiceError } from '#server/kernel/errors.ts';\nconst g = () => { throw new ServiceError('FORBIDDEN', ''); };\n/** Sets it. */\nexport async function f(): Promise<void> { await inTransaction(() => g()); }",
    ['@throws'],
  ],
])('%s is reported', (_, text, lacking) => {
  expect(lacksIn(text)).toEqual(lacking);
});

test.each([
  ['a named type', '/** Sets it. */\nexport function f(by: Caller, all: readonly Tag[]): void {}'],
  ['a unit in the name', '/** Waits. */\nexport function f(timeoutMs: number): void {}'],
  [
    'a sentence that is about the only parameter',
    '/** Returns whether a path is absolute. */\nexport const f = (path: string): boolean => true;',
  ],
  [
    'a sentence that names its parameters',
    '/** Sets it to `at`, and `wide` if given. */\nexport function f(at: number, wide: boolean): void {}',
  ],
  [
    'the answer of a change',
    "/** Sets it. */\nexport function f() { return { status: 'OK', message: 'Set.' }; }",
  ],
  [
    'an error that it catches',
    "import { ServiceError } from '#server/kernel/errors.ts';\n/** Sets it. */\nexport function f(): void { try { throw new ServiceError('FORBIDDEN', ''); } catch {} }",
  ],
  [
    'a fault of the program',
    "/** Sets it. */\nexport function f(): void { throw new Error('unreachable'); }",
  ],
])('%s needs no further words', (_, text) => {
  expect(lacksIn(text)).toEqual([]);
});

/** Returns what the function `f` of a source text lacks. */
function lacksIn(text: string): string[] {
  const f = moduleOf('server/kernel/example.ts', text).functions.get('f');
  return f ? lacksOf(f, errors) : ['the function'];
}
