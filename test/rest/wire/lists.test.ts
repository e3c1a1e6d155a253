import { beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { fieldNamesOf, fieldOf } from '#db/list/fields.ts';
import { type Operation, operations } from '#server/http/operations.ts';
import { declaredAnswer } from '#server/kernel/json-text.ts';
import { isLong } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const { send } = await openService();

type Shape = Record<string, z.core.$ZodType | undefined>;
type Row = Record<string, unknown>;

/** The members of an object's schema, through what may wrap it; none of any other. */
function shapeOf(schema: z.core.$ZodType | undefined): Shape {
  const def = (schema as z.core.$ZodTypes | undefined)?._zod.def;
  if (def?.type === 'object') return def.shape;
  if (def?.type === 'pipe') return shapeOf(def.in);
  return def && 'innerType' in def ? shapeOf(def.innerType) : {};
}

/** The schema of the rows of a list: the elements of the first array in its answer, or of the answer itself. */
function rowOf({ procedure }: Operation): z.core.$ZodType | undefined {
  const whole = declaredAnswer(procedure._def.output) as z.core.$ZodTypes | undefined;
  const found = [whole, ...Object.values(shapeOf(whole))]
    .map((one) => (one as z.core.$ZodTypes | undefined)?._zod.def)
    .find((def) => def?.type === 'array');
  const row = found?.type === 'array' ? found.element : undefined;
  return shapeOf(row).data ?? shapeOf(row).profile ?? row;
}

const FIRST = ['name', 'username', 'path', 'hostname', '_id', 'id'];
/** A field of text by which a list can be filtered and ordered. */
function textField(schema: z.core.$ZodType | undefined): string {
  const fits = (name: string) => {
    const field = schema && fieldOf(schema, name);
    return field?.type === 'text' && !field.many && !field.choices;
  };
  return (
    FIRST.find(fits) ??
    (schema ? fieldNamesOf(schema) : []).find((name) => fits(name) && name !== '_id') ??
    '_id'
  );
}

const filled = ({ path }: Operation) =>
  path.replace(':kind', 'cli').replace(/:\w+/g, '65a000000000000000000000');

/** Every list that is requested by a query: its option object has page and order. */
const lists = operations
  .filter(({ container, input }) => {
    const options = container ? shapeOf(input.shape[container]) : {};
    return options.limit !== undefined && options.sort !== undefined;
  })
  .map((one, nth) => ({
    at: filled(one),
    container: one.container ?? '',
    field: textField(rowOf(one)),
    nth,
  }));

/** In the short form each list is asked a third of the questions, and its neighbours the others. */
const THIRDS = 3;

/** Every list that is requested by a body, with the places of its page and order. */
const searches = operations.flatMap((one) =>
  one.queried
    ? []
    : Object.entries(one.input.shape).flatMap(([member, schema]) => {
        const { start, sort } = shapeOf(schema as z.core.$ZodType);
        return start && sort ? { at: one.path, member, fields: rowOf(one) } : [];
      }),
);

const rowsIn = (json: unknown): Row[] => {
  const rows = Array.isArray(json) ? json : Object.values(json as object).find(Array.isArray);
  return ((rows ?? []) as Row[]).map((row) => (row.data ?? row.profile ?? row) as Row);
};

/** What of an answer does not change from one moment to the next, nor with the form of the question. */
function reported(json: unknown, field: string) {
  const { total, metadata, counts, totalCount } = json as Row & { metadata?: Row };
  return { rows: rowsIn(json).map((row) => row[field]), total, totalCount, counts, all: metadata?.total };
}

const made = async (path: string, body: object) => {
  const answer = await send('admin', 'POST', path, body);
  expect(answer.status, `${path} ${answer.text}`).toBeLessThan(300);
};

let tree = '';

beforeAll(async () => {
  const { json } = await send('admin', 'POST', '/configuration_manager/configs', {
    name: 'Lists',
    deviceType: 'cisco-ios',
  });
  tree = (json as { id: string }).id;
  for (const name of ['edge-a', 'edge-b', 'core-a', 'Core-b']) {
    await made('/configuration_manager/devicegroup', {
      groupName: name,
      groupDescription: '',
      deviceNames: [],
    });
    await made('/automation-studio/templates', {
      template: {
        name,
        group: 'lists',
        type: 'jinja2',
        command: '',
        description: '',
        template: '',
        data: '{}',
      },
    });
    await made('/operations-manager/automations', { name, componentType: 'workflows' });
    await made('/automation-studio/projects', { name });
    await made('/configuration_manager/templates', { name, template: '' });
    await made('/authorization/groups', { group: { name, provenance: 'local', description: '' } });
    await made('/user/tokens', { name, expiresInDays: 1 });
  }
});

test('the lists are found in the router', () => {
  expect(lists.length).toBeGreaterThanOrEqual(29);
  expect(lists.map(({ at }) => at)).toContain('/authorization/tokens');
  expect(searches.length).toBeGreaterThanOrEqual(9);
});

describe.each(lists)('GET $at', ({ at, container, field, nth }) => {
  const ask = async (query: string) => {
    const answer = await send('admin', 'GET', `${at}?${query}`);
    expect(answer.status, `${query} ${answer.text.slice(0, 500)}`).toBe(200);
    return reported(answer.json, field);
  };

  test('answers the same question alike in every form', async () => {
    const [first] = rowsIn((await send('admin', 'GET', `${at}?limit=3`)).json);
    const value = encodeURIComponent(String(first?.[field] ?? 'x'));
    const part = encodeURIComponent(String(first?.[field] ?? 'x').slice(0, 2));
    const forms: string[][] = [
      [
        `equals[${field}]=${value}`,
        `equals=${value}&equalsField=${field}`,
        `${container}[equals][${field}]=${value}`,
        `equals={"${field}":"${value}"}`,
        `in[${field}]=${value}`,
      ],
      [`starts-with[${field}]=${part}`, `startsWith=${part}&startsWithField=${field}`],
      [`gt[${field}]=${value}`, `greaterThan=${value}&greaterThanField=${field}`],
      [`gte[${field}]=${value}`, `greaterThanEquals=${value}&greaterThanEqualsField=${field}`],
      [`lt[${field}]=${value}`, `lessThan=${value}&lessThanField=${field}`],
      [`lte[${field}]=${value}`, `lessThanEquals=${value}&lessThanEqualsField=${field}`],
    ];
    // The parsers' own `filter` takes a name only, as the interface has it.
    forms.push([
      `contains[${field}]=${part}`,
      `contains=${part}&containsField=${field}`,
      `filter[${field}]=${part}`,
    ]);
    forms.push([
      `skip=1&limit=2&sort=${field}&order=-1`,
      `start=1&limit=2&sort=${field}&order=descending`,
      `skip=1&start=1&limit=2&sort[${field}]=-1`,
      `${container}={"skip":1,"limit":2,"sort":{"${field}":-1}}`,
      `${container}[start]=1&${container}[limit]=2&${container}[sort]=${field}&${container}[order]=-1`,
    ]);
    const asked = forms.filter((_, index) => isLong || index % THIRDS === nth % THIRDS);
    for (const [one = '', ...others] of asked) {
      const expected = await ask(one);
      for (const other of others) expect({ [other]: await ask(other) }).toEqual({ [other]: expected });
    }
  });

  test('rejects forms that contradict each other, and names both', async () => {
    const pairs: [string, string, string][] = [
      ['skip=1&start=2', 'start', 'skip'],
      [`sort[${field}]=1&order=-1`, 'order', `sort.${field}`],
      [`startsWith=a&startsWithField=${field}&starts-with[${field}]=b`, `starts-with.${field}`, 'startsWith'],
    ];
    for (const [query, name, other] of pairs) {
      const answer = await send('admin', 'GET', `${at}?${query}`);
      expect(answer, answer.text).toMatchObject({ status: 400 });
      const { message } = answer.json as { message: string };
      expect(message).toContain(` ${name}: contradicts ${other}`);
    }
  });

  test('rejects by the names that the caller wrote, and lists the accepted ones', async () => {
    for (const query of ['limit=0', 'colour=red', 'sort=colour', 'equals=x', 'gt[colour]=x', 'in=x']) {
      const answer = await send('admin', 'GET', `${at}?${query}`);
      expect(answer.status, `${query} ${answer.text}`).toBe(400);
      expect(answer.text).not.toContain(`${container}.`);
    }
    const unknown = await send('admin', 'GET', `${at}?colour=red`);
    expect(unknown.text).toContain('skip or start, limit, sort, order');
  });
});

/** What the histories of one device ask for beside their options. */
const beside = (path: string) => {
  const run = { treeId: tree, version: 'initial', nodePath: 'base' };
  if (path.endsWith('/grade/history')) return { ...run, deviceName: 'edge-a' };
  return path.endsWith('/query/history') ? { ...run, filter: { deviceName: 'edge-a' } } : {};
};

describe.each(searches)('POST $at', ({ at, member, fields }) => {
  const field = [...(fields ? fieldNamesOf(fields) : []), 'started'].find((one) =>
    ['name', 'deviceName', 'started'].includes(one),
  );
  const post = (options: object) => send('admin', 'POST', at, { ...beside(at), [member]: options });

  test('accepts page and order in either form', async () => {
    const answers = await Promise.all(
      [
        { start: 1, limit: 2, sort: { [field ?? '']: -1 } },
        { skip: 1, limit: 2, sort: field, order: -1 },
        { skip: 1, start: 1, limit: 2, sort: field, order: 'descending' },
        { skip: 1, limit: 2, sort: { [field ?? '']: 1 }, order: 'descending' },
      ].map(post),
    );
    for (const { status, text } of answers) expect(status, text).toBe(200);
    const [expected, ...others] = answers.map(({ json }) => reported(json, field ?? ''));
    for (const other of others) expect(other).toEqual(expected);
  });

  test('rejects forms that contradict each other, and names both', async () => {
    const answer = await post({ start: 1, skip: 2 });
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.text).toContain(`${member}.start: contradicts skip`);
  });
});

test('no form of a filter or order looks at a secret', async () => {
  const field = 'properties.authentication.password';
  for (const query of [
    `startsWith=a&startsWithField=${field}`,
    `starts-with[${field}]=a`,
    `filter[${field}]=a`,
    `sort[${field}]=1`,
    `sort=${field}`,
  ]) {
    const answer = await send('admin', 'GET', `/adapters?${query}`);
    expect(answer.status, query).toBe(400);
    expect(answer.text).toContain('is a secret');
  }
});
