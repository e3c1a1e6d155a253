import { expect, test } from 'vitest';
import { openApiText } from '#server/http/openapi/document.ts';
import { type Operation, operations } from '#server/http/operations.ts';
import { numbersIn, type Place, withValueAt } from '../../helpers/http/number-members.ts';
import { type OpenApi, operationsIn } from '../../helpers/http/openapi.ts';
import { isLong, sampled } from '../../helpers/long.ts';
import { openService } from '../../helpers/service.ts';

const service = await openService();
const document: OpenApi = JSON.parse(openApiText());
const shapeOf = (method: string, path: string) => `${method} ${path.replace(/\{\w+\}|:\w+/g, '{}')}`;
const described = new Map(
  operationsIn(document).map((one) => [shapeOf(one.method, one.path), one.described] as const),
);

/** Numbers beyond what PostgreSQL's integer, JavaScript's exact integers and a page can hold, and no whole ones. */
const NUMBERS = [2 ** 31, 2 ** 53, 1e308, -1, 0.5];

/** Two numbers for each place, in turn, one of them in the short form: each number meets places of every kind. */
const numbersFor = (index: number) =>
  NUMBERS.filter((_, at) =>
    [index, ...(isLong ? [index + 2] : [])].some((one) => one % NUMBERS.length === at),
  );

/** A request as the document shows it, with one value changed. */
function requestOf(operation: Operation, place: Place, value: number) {
  const shown = described.get(shapeOf(operation.method, operation.path));
  const [first = ''] = place;
  const example = Object.values(shown?.requestBody?.content ?? {})[0]?.example ?? {};
  const inPath = operation.parameters.reduce((path, name) => {
    const given = shown?.parameters?.find((one) => one.name === name)?.example ?? 'x';
    return path.replace(`:${name}`, encodeURIComponent(String(name === first ? value : given)));
  }, operation.path);
  if (operation.parameters.includes(String(first))) return { path: inPath, body: example };
  if (operation.method !== 'GET') return { path: inPath, body: withValueAt(example, place, value) };
  const [top = '', ...inside] = place[0] === operation.container ? place.slice(1) : place;
  const name = `${top}${inside.map((step) => `[${step === '*' ? 'name' : step}]`).join('')}`;
  return { path: `${inPath}?${encodeURIComponent(name)}=${encodeURIComponent(value)}`, body: undefined };
}

const requested = operations.filter(({ resumes, types }) => !resumes && types.includes('application/json'));
const withNumbers = requested
  .map((operation) => ({
    operation,
    places: sampled(numbersIn(operation.input), 3),
    at: `${operation.method} ${operation.path}`,
  }))
  .filter(({ places }) => places.length > 0);

test.each(sampled(withNumbers, 60))(
  '$at answers numbers of any size without a fault',
  async ({ operation, places }) => {
    for (const [index, place] of places.entries()) {
      for (const number of numbersFor(operations.indexOf(operation) + index)) {
        const { path, body } = requestOf(operation, place, number);
        const answer = await service.send('admin', operation.method, path, body);
        expect(
          answer.status,
          `${place.join('.')} = ${number}: ${operation.method} ${path} ${JSON.stringify(body)?.slice(0, 500)} ${answer.text}`,
        ).toBeLessThan(500);
      }
    }
  },
);
