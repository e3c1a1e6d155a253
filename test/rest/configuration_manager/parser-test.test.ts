import { expect, test } from 'vitest';
import type { ParserTest } from '#server/domains/golden-config/parsers/parser-test.ts';
import { issuesOf, openConfiguration } from '../../helpers/configuration.ts';

const { done, groupOf, send } = await openConfiguration();

const PATH = '/configurations/parser';
const tried = (body: object, as?: 'apiread') =>
  done<ParserTest>('POST', `${PATH}/test`, body, as ? { as } : {});
const rejected = (body: object) => send('POST', `${PATH}/test`, body);

const TEXT = 'hostname edge-1\ninterface Gi0/1\n description "to  core" x\n no shutdown\n!\n';
const LINES = [
  { words: ['hostname', 'edge-1'], children: [] },
  {
    words: ['interface', 'Gi0/1'],
    children: [
      { words: ['description', '"to  core"', 'x'], children: [] },
      { words: ['no', 'shutdown'], children: [] },
    ],
  },
];

test('a text is shown as a parser reads it, by the name of the parser or another name of its grammar', async () => {
  for (const name of ['cisco-ios', 'cisco_ios', 'cisco_xe']) {
    expect(await tried({ name, text: TEXT }, 'apiread'), name).toEqual({ lines: LINES, warnings: [] });
  }
  expect(await tried({ name: 'nvidia_onyx', text: '## a\nhostname b\n' })).toMatchObject({
    lines: [{ words: ['hostname', 'b'] }],
  });
});

test('a banner is one word below the line that opens it; an unclosed banner is a warning', async () => {
  const text = 'banner motd #\nkeep\n  out\n#\nbanner login ~never\nend\n';
  expect(await tried({ name: 'cisco-ios', text, parser: null })).toEqual({
    lines: [
      { words: ['banner', 'motd', '^C'], children: [{ words: ['keep\n  out\n^C'], children: [] }] },
      { words: ['banner', 'login', '~never'], children: [] },
      { words: ['end'], children: [] },
    ],
    warnings: [{ line: 5, reason: 'the text opened by ~ is not closed' }],
  });
});

test('a parser is tried before it is stored, and a stored one by its own rules', async () => {
  const parser = {
    name: 'semicolons',
    template: 'cisco-ios',
    lexRules: [
      [';', 'end_line'],
      ['[^\\s;]+', 'word'],
    ],
  };
  const expected = {
    lines: [
      { words: ['a', 'b'], children: [] },
      { words: ['c'], children: [] },
    ],
    warnings: [],
  };
  expect(await tried({ parser, text: 'a b; c' })).toEqual(expected);
  await done('POST', PATH, parser);
  expect(await tried({ name: 'semicolons', text: 'a b; c' })).toEqual(expected);
  const base = { template: 'cisco-ios' };
  expect(await tried({ parser: base, text: TEXT })).toEqual({ lines: LINES, warnings: [] });
});

test('an invisible parser is reported as missing', async () => {
  const group = await groupOf(['designer']);
  await done('POST', PATH, {
    name: 'hidden',
    template: 'cisco-ios',
    gbac: { read: [group], write: [group] },
  });
  const answer = await send('POST', `${PATH}/test`, { name: 'hidden', text: 'a' }, { as: 'apiread' });
  expect(answer).toMatchObject({ status: 404, json: { message: 'Config parser hidden does not exist' } });
});

test('a test that cannot run is rejected by name', async () => {
  expect(await rejected({ name: 'no-such', text: 'a' })).toMatchObject({ status: 404 });
  for (const [body, path] of [
    [{ text: 'a' }, ['name']],
    [{ name: 'cisco-ios', parser: { template: 'cisco-ios' }, text: 'a' }, ['name']],
    [{ name: 'cisco-ios', text: 'a\0b' }, ['text']],
    [{ name: 'cisco-ios', text: 'a'.repeat(10_000_001) }, ['text']],
    [{ name: 'cisco-ios' }, ['text']],
    [{ parser: {}, text: 'a' }, ['parser', 'template']],
    [{ parser: { template: 'none' }, text: 'a' }, ['parser', 'template']],
    [
      { parser: { template: 'cisco-ios', lexRules: [['(?=a)', 'word']] }, text: 'a' },
      ['parser', 'lexRules', 0, 0],
    ],
  ] as const) {
    const answer = await rejected(body);
    expect(answer.status, JSON.stringify(body).slice(0, 200)).toBe(400);
    expect(issuesOf(answer).some((issue) => issue.startsWith(`${path.join('.')}: `))).toBe(true);
  }
});

test('lines nested beyond the limit are shown at the last level, and that is reported', async () => {
  const text = 'a {\n'.repeat(5_000);
  const { lines, warnings } = await tried({ name: 'juniper-junos', text });
  expect(warnings.map(({ reason }) => reason)).toEqual([
    'more than 100 levels deep: shown at the deepest level',
    'the brace is not closed',
  ]);
  let depth = 0;
  for (let at = lines; at.length > 0; at = at[0]?.children ?? []) depth++;
  expect(depth).toBe(100);
});
