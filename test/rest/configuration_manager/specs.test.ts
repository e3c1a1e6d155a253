import { beforeEach, describe, expect, test } from 'vitest';
import type { Line, Spec } from '#db/schemas/golden-config/config-spec.ts';
import type { NodeDetail, TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { openConfiguration } from '../../helpers/configuration.ts';
import { exportedNode, exportedVersion } from '../../helpers/documents/exported-trees.ts';

const { done, send } = await openConfiguration();

let counter = 0;
let tree: TreeVersion;

beforeEach(async () => {
  tree = await done<TreeVersion>('POST', '/configs', { name: `Rules ${counter++}`, deviceType: 'cisco-ios' });
});

const node = (path = 'base') => done<NodeDetail>('GET', `/configs/${tree.id}/initial/${path}`);
const version = () => done<TreeVersion>('GET', `/configs/${tree.id}/initial`);

const config = (template: string, variables: Record<string, unknown> = {}, updateVariables = true) => ({
  treeId: tree.id,
  treeVersion: 'initial',
  nodePath: 'base',
  data: { template, variables },
  updateVariables,
});

const words = (lines: readonly Line[]): string[] =>
  lines.flatMap((line) => [line.words.map(({ value }) => value).join(' '), ...words(line.lines ?? [])]);

type Refusal = { issues: { path: string[]; line: number; column: number; code: string; message: string }[] };

describe('PUT /node/config', () => {
  test('stores the template and the lines that follow from it, and the variables for good', async () => {
    const answer = await done(
      'PUT',
      '/node/config',
      config('ntp server {{ ntp }}\n<e/>{d/}ip http server', { ntp: '192.0.2.9' }),
    );
    expect(answer).toEqual({ status: 'success', message: 'Node Config updated', warnings: [] });
    const { spec, staleLines } = await node();
    expect(spec.template).toBe('ntp server {{ ntp }}\n<e/>{d/}ip http server');
    expect(words(spec.lines)).toEqual(['ntp server 192.0.2.9', 'ip http server']);
    expect(spec.lines[1]).toMatchObject({
      evalMode: 'disallowed',
      severity: 'error',
      fixMode: 'manual',
      membership: 'default',
    });
    expect(staleLines).toBeUndefined();
    expect((await version()).variables).toEqual({ ntp: '192.0.2.9' });
  });

  test('with updateVariables false uses the variables once and does not store them, so that the lines are stale', async () => {
    await done('PUT', '/node/config', config('hostname {{ name }}', { name: 'a' }));
    await done('PUT', '/node/config', config('hostname {{ name }}', { name: 'b' }, false));
    expect(words((await node()).spec.lines)).toEqual(['hostname b']);
    expect((await node()).staleLines).toBe(true);
    expect((await version()).variables).toEqual({ name: 'a' });
    await done('PUT', `/configs/${tree.id}/initial`, { variables: { name: 'b' } });
    expect((await node()).staleLines).toBeUndefined();
    await done('DELETE', `/configs/variables/${tree.id}/initial`, { variables: ['name'] });
    expect((await version()).root.staleLines).toBe(true);
  });

  test('returns warnings about likely mistakes', async () => {
    const { warnings } = await done<{ warnings: unknown[] }>(
      'PUT',
      '/node/config',
      config('interface x\n no shutdown\n'),
    );
    expect(warnings).toEqual([{ line: 2, column: 2, message: expect.stringContaining('default') }]);
  });

  test.each<[string, number, number, string]>([
    ['hostname a\nntp {{ nobody }}', 2, 8, 'undefined_variable'],
    ['hostname {/(/}', 1, 13, 'invalid_template'],
    ['{% for x in %}', 1, 13, 'invalid_template'],
  ])('%s is rejected with line and column, and nothing is stored', async (template, line, column, code) => {
    const answer = await send('PUT', '/node/config', config(template, { a: 1 }));
    expect(answer.status).toBe(400);
    expect((answer.json as Refusal).issues).toEqual([
      { path: ['data', 'template'], line, column, code, message: expect.any(String) },
    ]);
    expect((await node()).spec.template).toBe('');
    expect((await version()).variables).toEqual({});
  });

  test('every field is required, and the node must exist', async () => {
    const { updateVariables: _, ...without } = config('a');
    expect((await send('PUT', '/node/config', without)).status).toBe(400);
    expect((await send('PUT', '/node/config', { ...config('a'), nodePath: 'base/none' })).status).toBe(404);
    expect(
      (await send('PUT', '/node/config', { ...config('a'), data: { template: 'a', variables: [] } })).status,
    ).toBe(400);
  });

  test('lines that stay keep their ids', async () => {
    await done('PUT', '/node/config', config('ntp a\nntp b'));
    const before = (await node()).spec.lines;
    await done('PUT', '/node/config', config('hostname x\nntp b\nntp a'));
    const after = (await node()).spec.lines;
    expect([after[2]?.id, after[1]?.id]).toEqual([before[0]?.id, before[1]?.id]);
  });
});

test('a parser with rules of its own reads templates as well', async () => {
  const name = `own-${counter}`;
  await done('POST', '/configurations/parser', {
    name,
    template: 'cisco-ios',
    lexRules: [
      ['%[^\\n]*', 'comment'],
      ['\\n', 'end_line'],
      ['\\S+', 'word'],
    ],
  });
  tree = await done<TreeVersion>('POST', '/configs', { name: `Own ${counter}`, deviceType: name });
  await done('PUT', '/node/config', config('% a comment\nip   route {/[0-9]+ x/}  % another\n'));
  const { spec, staleLines } = await node();
  expect(words(spec.lines)).toEqual(['ip route [0-9]+ x']);
  expect(staleLines).toBeUndefined();
});

describe('specs', () => {
  test('can be created without a tree', async () => {
    const spec = await done<Spec>('POST', '/config_specs', {
      data: { deviceType: 'juniper-junos', template: 'system { host-name {{ n }}; }', variables: { n: 'x' } },
    });
    expect(words(spec.lines)).toEqual(['system', 'host-name x']);
    expect(await done('GET', `/config_specs/${spec._id}`)).toEqual(spec);
    await done('PUT', `/config_specs/${spec._id}`, { data: { variables: { n: 'y' } } });
    expect(words((await done<Spec>('GET', `/config_specs/${spec._id}`)).lines)).toEqual([
      'system',
      'host-name y',
    ]);
    expect((await send('POST', '/config_specs', { data: { deviceType: 'none', template: '' } })).status).toBe(
      400,
    );
  });

  test('change by their template or by their lines, not by both', async () => {
    const { _id: id } = (await node()).spec;
    await done('PUT', `/config_specs/${id}`, {
      data: { template: 'ntp {{ ntp }}', variables: { ntp: 'a' } },
    });
    expect((await version()).variables).toEqual({ ntp: 'a' });
    const lines = [
      {
        words: [
          { type: 'literal', value: 'interface' },
          { type: 'regex', value: 'Gi.*' },
        ],
        severity: 'error',
        lines: [{ words: [{ type: 'literal', value: 'shutdown' }], evalMode: 'disallowed' }],
      },
    ];
    await done('PUT', `/config_specs/${id}`, { data: { lines } });
    const { spec, staleLines } = await node();
    expect(spec.template).toBe('<e/>interface {/Gi.*/}\n {d/}shutdown\n');
    expect(spec.lines).toMatchObject(lines);
    expect(spec.lines[0]?.id).toMatch(/^[0-9a-f]{16}$/);
    expect(staleLines).toBeUndefined();
    expect((await send('PUT', `/config_specs/${id}`, { data: { lines, template: 'a' } })).status).toBe(400);
    const wrong = await send('PUT', `/config_specs/${id}`, {
      data: { lines: [{ id: 'x', words: [{ type: 'regex', value: '(' }] }] },
    });
    expect(wrong.status).toBe(400);
    expect((wrong.json as Refusal).issues[0]).toMatchObject({
      path: ['data', 'lines'],
      message: expect.stringContaining('line x'),
    });
    expect(
      (
        await send(
          'PUT',
          `/config_specs/${id}`,
          { data: { template: 'a' } },
          { ifMatch: '"2020-01-01T00:00:00.000Z"' },
        )
      ).status,
    ).toBe(409);
    expect(
      (await send('PUT', '/config_specs/65a000000000000000000000', { data: { template: 'a' } })).status,
    ).toBe(404);
  });

  test('are generated from a configuration, and translated back', async () => {
    const nativeConfig = 'hostname a\ninterface Gi1\n description {{ "x" }} {% y\n';
    const { lines, template } = await done<{ lines: Line[]; template: string }>(
      'POST',
      '/generate/config_spec',
      {
        ostype: 'cisco-ios',
        nativeConfig,
      },
    );
    expect(words(lines)).toEqual(['hostname a', 'interface Gi1', 'description {{ "x" }} {% y']);
    await done('PUT', '/node/config', config(template));
    expect(words((await node()).spec.lines)).toEqual(words(lines));
    expect(await done('POST', '/translate/config_spec', { lines })).toEqual({ config: template });
    expect(await done('POST', '/translate/config_spec', { specId: (await node()).spec._id })).toEqual({
      config: template,
    });
    expect(await done('POST', '/jinja2', { template }).catch(String)).toContain('answered 201');
    expect((await send('POST', '/generate/config_spec', { nativeConfig })).status).toBe(400);
    expect((await send('POST', '/translate/config_spec', {})).status).toBe(400);
  });

  test('show their template verbatim and rendered', async () => {
    await done('PUT', '/node/config', config('ntp {{ ntp }}', { ntp: 'a' }));
    const { _id: specId } = (await node()).spec;
    expect(await done('POST', '/config_template', { specId })).toEqual({
      template: 'ntp {{ ntp }}',
      rendered: 'ntp a',
    });
    expect(
      await done('POST', '/config_template', { deviceConfigId: specId, variables: { ntp: 'b' } }),
    ).toMatchObject({ rendered: 'ntp b' });
    expect((await send('POST', '/config_template', {})).status).toBe(400);
    expect((await send('POST', '/config_template', { specId: '65a000000000000000000000' })).status).toBe(404);
  });
});

describe('POST /jinja2', () => {
  test('answers 201 with the text as a JSON string', async () => {
    const answer = await send('POST', '/jinja2', {
      template: '{% for p in ports %}{{ p }};{% endfor %}',
      variables: { ports: [1, 2] },
    });
    expect([answer.status, answer.json]).toEqual([201, '1;2;']);
  });

  test('rejects with line and column', async () => {
    const answer = await send('POST', '/jinja2', { template: 'a\n{{ b }}' });
    expect(answer.status).toBe(400);
    expect((answer.json as Refusal).issues).toEqual([
      {
        path: ['template'],
        line: 2,
        column: 4,
        code: 'undefined_variable',
        message: expect.stringContaining('b is undefined'),
      },
    ]);
    expect((await send('POST', '/jinja2', { template: '{{ "".constructor }}' })).status).toBe(400);
    expect(
      (await send('POST', '/jinja2', { template: '{% for i in range(999999999) %}{% endfor %}' })).status,
    ).toBe(400);
  });
});

test('an import keeps template and lines unchanged; a node whose lines differ reports it, an export does not', async () => {
  const base = exportedNode('base', [exportedNode('east', [], 'hostname {{ who }}')], 'hostname base');
  const given = exportedVersion({ name: `Imported ${counter}`, root: base, variables: { who: 'east' } });
  const { data } = await done<{ data: { treeId: string }[] }>('POST', '/import/goldenconfigs', {
    trees: [{ data: [given] }],
  });
  const [{ treeId = '' } = {}] = data;
  const { root } = await done<TreeVersion>('GET', `/configs/${treeId}/initial`);
  // The export says the word is a variable of that name: what the template gives is a literal.
  expect([root.staleLines, root.children?.[0]?.staleLines]).toEqual([true, true]);
  const exported = await done<{ data: TreeVersion[] }>('POST', '/export/goldenconfigs', { treeId });
  expect(exported.data[0]?.root).not.toHaveProperty('staleLines');
  expect(exported.data[0]?.root.attributes?.export).toMatchObject({
    template: 'hostname base',
    lines: base.attributes?.export?.lines,
  });
});

test('devices are found by their tree, and trees by their device', async () => {
  await done('POST', `/configs/${tree.id}/initial/base`, { name: 'east' });
  await done('POST', `/configs/${tree.id}/initial/base/east/devices`, {
    devices: [`edge-${counter}`, 'edge "x"'],
  });
  await done('POST', `/configs/${tree.id}`, { version: 'v2', base: 'initial' });
  expect(await done('POST', '/devices/tree', { treeId: tree.id, version: 'initial' })).toEqual([
    { device: 'edge "x"', nodePath: 'base/east', via: 'device' },
    { device: `edge-${counter}`, nodePath: 'base/east', via: 'device' },
  ]);
  expect(await done('POST', '/devices/tree', { treeId: tree.id })).toHaveLength(2);
  expect((await send('POST', '/devices/tree', { treeId: tree.id, version: 'none' })).status).toBe(404);
  expect(await done('POST', '/devices/device/trees', { deviceName: `edge-${counter}` })).toEqual([
    { treeId: tree.id, name: tree.name, version: 'initial', nodePath: 'base/east' },
    { treeId: tree.id, name: tree.name, version: 'v2', nodePath: 'base/east' },
  ]);
  expect(await done('POST', '/devices/device/trees', { deviceName: `edge-${counter}0` })).toEqual([]);
});
