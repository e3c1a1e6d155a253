import { describe, expect, test } from 'vitest';
import type { Transformation } from '#db/schemas/workflow/transformation.ts';
import { checkTransformation } from '#server/domains/workflow/transformations/check.ts';
import { runTransformation } from '#server/domains/workflow/transformations/transformation.ts';
import { realExports } from '../../../helpers/documents/exported-projects.ts';
import { AROUND } from '../../../helpers/documents/transformations.ts';

type Schema = {
  $id?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  examples?: unknown[];
  default?: unknown;
};

// The documents are what their own schema says; a run needs no more of them.
const documents = realExports().flatMap(({ project }) =>
  (project.components ?? [])
    .filter(({ type }) => type === 'transformation')
    .map(({ document }) => document as unknown as Transformation),
);
if (documents.length === 0) console.warn('exported transformations: absent; nothing was run');

/** Data of the document's own schemas and examples, in which dots are written %2E. */
function sample({ type, properties, items, examples = [], default: fallback }: Schema): unknown {
  const [example] = examples;
  const one = Array.isArray(type) ? type.find((each) => each !== 'null') : type;
  if (one === 'object') {
    const members = Object.entries(properties ?? {});
    return Object.fromEntries(members.map(([name, inner]) => [name, sample(inner)]));
  }
  if (one === 'array') return items ? (items.examples?.length ? items.examples : [sample(items)]) : ['a'];
  if (example !== undefined) return typeof example === 'string' ? example.replaceAll('%2E', '.') : example;
  if (fallback !== undefined) return fallback;
  return { string: 'a-b', number: 3, integer: 2, boolean: true }[one ?? ''] ?? null;
}

const inputsOf = ({ incoming = [] }: Transformation) =>
  Object.fromEntries(incoming.map((schema) => [String(schema.$id), sample(schema as Schema)]));

/** Documents whose schemas say less than their steps need: made-up data makes these steps fail, rightly. */
const NEED_MORE = ['Convert Manifest Data', 'Create Error ReturnStatus', 'Create Success ReturnStatus'];

const reported = (name: string, inputs: Record<string, unknown>) => {
  const document = documents.find((one) => one.name === name);
  const made = document && runTransformation(document, inputs, { revertToDefaultValue: true }, AROUND);
  return made && 'outputs' in made ? made.outputs : made?.error.message;
};

describe.skipIf(documents.length === 0)('transformations that the reference exported', () => {
  test.each(documents.map((document) => [document.name, document] as const))('%s runs', (name, document) => {
    const { errors, warnings } = checkTransformation(document);
    expect([...errors, ...warnings].filter(({ code }) => code !== 'dangling')).toEqual([]);
    const inputs = inputsOf(document);
    const made = runTransformation(document, inputs, { revertToDefaultValue: true }, AROUND);
    expect('error' in made ? made.error.code : 'done').toBe(NEED_MORE.includes(name) ? 'step' : 'done');
    const shuffled = {
      ...document,
      steps: document.steps?.toReversed(),
      functions: document.functions?.toReversed(),
    };
    expect(runTransformation(shuffled, inputs, { revertToDefaultValue: true }, AROUND)).toEqual(made);
  });

  test.each<[string, Record<string, unknown>, unknown]>([
    ['Chunk Array', { originalArray: [1, 2, 3, 4, 5], chunkSize: 2 }, { splitArray: [[1, 2], [3, 4], [5]] }],
    [
      'Convert String to Special Cases',
      { incomingString: 'foo bar foobar' },
      {
        toCamelCase: 'fooBarFoobar',
        toSnakeCase: 'foo_bar_foobar',
        toKebabCase: 'foo-bar-foobar',
        toPascalCase: 'FooBarFoobar',
      },
    ],
    [
      'Convert CSV to JSON',
      { csv: 'a,b\n1,2\n3,4' },
      {
        json: [
          { a: '1', b: '2' },
          { a: '3', b: '4' },
        ],
      },
    ],
    ['Get Value From JSON Pointer', { jsonPointer: '/a/b/1', obj: { a: { b: [7, 8] } } }, { value: 8 }],
    [
      'Group Records by Property',
      {
        array: [
          { n: 'x', v: 1 },
          { n: 'y', v: 2 },
          { n: 'x', v: 3 },
        ],
        groupByProperty: 'n',
      },
      {
        output: {
          x: [
            { n: 'x', v: 1 },
            { n: 'x', v: 3 },
          ],
          y: [{ n: 'y', v: 2 }],
        },
      },
    ],
    [
      'Remove Duplicates From Array of Primitives',
      { array: [1, '1', 1, null, null] },
      { uniqueArray: [1, '1', null] },
    ],
    [
      'Remove Element From Array by Index',
      { array: ['a', 'b', 'c'], index: 1 },
      { newArray: ['a', 'c'], item: 'b' },
    ],
    ['Allocate One Number', { allocated: [5, 6], startRange: 5, endRange: 8 }, { output: { assigned: 7 } }],
    [
      'Allocate One Number',
      { allocated: [5, 6], startRange: 5, endRange: 6 },
      { output: { assigned: false } },
    ],
    [
      'Implement Set Operations on Arrays',
      { array1: [1, 2], array2: [2, 3] },
      { intersection: [2], array1Only: [1], array2Only: [3], difference: [1, 3], union: [1, 2, 3] },
    ],
    [
      'Split String into Array by Regex or Separator',
      { inputString: 'a1b22c', separatorString: '', separatorRegex: '/\\d+/g', limit: 2 },
      { splitArray: ['a', 'b'] },
    ],
    [
      'Standard Output',
      { success: true, reason: ['a', 'b'] },
      { success: true, reason: 'a, b', type: 'object' },
    ],
    [
      'Standard Output',
      { success: true, reason: { a: 1 } },
      { success: true, reason: '{"a":1}', type: 'object' },
    ],
    ['Standard Output', { success: false, reason: 'x' }, { success: false, reason: 'x', type: 'string' }],
    ['Generate Random Integer Within Range', { minimum: 4, maximum: 7 }, { randomInteger: 5 }],
  ])('%s returns the expected outputs for %j', (name, inputs, expected) => {
    expect(reported(name, inputs)).toEqual(expected);
  });
});
