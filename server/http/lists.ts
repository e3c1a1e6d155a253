import type { z } from 'zod';
import { declaredAnswer, plain } from '#server/kernel/json-text.ts';
import type { ListReader } from '#server/kernel/platform.ts';
import type { Procedure } from '#server/kernel/procedures.ts';
import { procedures } from './operations.ts';
import { type Run, runnerOf } from './run.ts';

/** Fields of an answer that hold the rows of a list, in order of precedence where it has several lists. */
const ROWS = ['results', 'data', 'list', 'items'];

/** Most rows of a page, where the list names no other maximum. */
const PAGE = 1000;

/** Kinds of values that fill one cell. */
const SCALARS = new Set(['string', 'number', 'boolean', 'enum', 'literal', 'date', 'int', 'bigint']);

/** A value that a list lacks and another procedure has, requested once for each page: how its rows are named there, and where they belong. */
const JOINED: Readonly<Record<string, { with: string; by: string; input: string; as: string }>> = {
  'configurationManager.searchDevices': {
    with: 'configurationManager.listDeviceStates',
    by: 'name',
    input: 'devices',
    as: 'state',
  },
};

type Schema = z.core.$ZodType;
type Row = Record<string, unknown>;

/** What follows from the schemas of each procedure; undefined for those that answer no list. */
const readers = new Map<string, ListReader | undefined>();

/**
 * Returns how the list that a procedure answers is read, as its schemas declare it; undefined for a procedure that does not
 * exist or answers no list. The procedure itself reads, with its own roles, access and masks.
 *
 * @param name `operationsManager.listJobs`
 */
export function listReaderOf(name: string): ListReader | undefined {
  if (!readers.has(name) && Object.hasOwn(procedures, name)) readers.set(name, openReader(name));
  return readers.get(name);
}

/** Returns the names of all procedures that answer a list. */
export const listNames = (): string[] => Object.keys(procedures).filter((name) => listReaderOf(name));

function openReader(name: string): ListReader | undefined {
  const { _def } = procedures[name] as Procedure;
  const input = _def.inputs[0] as Schema | undefined;
  const answer = declaredAnswer(_def.output);
  if (_def.type !== 'query' || _def.meta?.effects || !input || !answer) return undefined;
  const place = rowsIn(answer);
  const page = pagesIn(input);
  if (!place || !(page || /\.list/.test(name))) return undefined;
  const join = JOINED[name];
  const shape = fieldsOf(place.row);
  const own = scalarsOf(shape);
  return {
    columns: own.length > 0 ? own : nestedScalars(shape),
    fields: [...shape.keys(), ...(join ? [join.as] : [])],
    pageSize: page?.most,
    read: async (ctx, given, at) => {
      const result = await run(name, ctx, page && at ? page.place(given, at) : given);
      const { rows, total } = place.read(result);
      return { rows: join ? await joined(ctx, rows, join) : rows, total };
    },
  };
}

/** The runner of each procedure, made on first use. */
const runs = new Map<string, Run>();

async function run(name: string, ctx: Parameters<Run>[0], input: unknown): Promise<unknown> {
  const known = runs.get(name) ?? runnerOf(procedures[name] as Procedure, name);
  runs.set(name, known);
  return plain(await known({ ...ctx, answer: { headers: {} } }, async () => input));
}

async function joined(
  ctx: Parameters<Run>[0],
  rows: readonly Row[],
  join: (typeof JOINED)[string],
): Promise<Row[]> {
  const found = (await run(join.with, ctx, { [join.input]: rows.map((row) => row[join.by]) })) as Row[];
  const byName = new Map(found.map((one) => [one[join.by], one]));
  return rows.map((row) => ({ ...row, [join.as]: byName.get(row[join.by]) }));
}

/** Where an answer has its rows, and how many rows the whole list has. */
function rowsIn(answer: Schema) {
  const row = elementOf(answer);
  if (row) return { row, read: (result: unknown) => ({ rows: result as Row[], total: undefined }) };
  const lists = [...fieldsOf(answer)].flatMap(([field, schema]) => {
    const element = elementOf(schema);
    return element ? [{ field, element }] : [];
  });
  const chosen =
    ROWS.map((name) => lists.find(({ field }) => field === name)).find((one) => one !== undefined) ??
    (lists.length === 1 ? lists[0] : undefined);
  if (!chosen) return undefined;
  return {
    row: chosen.element,
    read: (result: unknown) => {
      const { [chosen.field]: rows, total, totalCount, metadata } = result as Record<string, unknown>;
      const counted = total ?? totalCount ?? (metadata as { total?: unknown } | undefined)?.total;
      return { rows: rows as Row[], total: typeof counted === 'number' ? counted : undefined };
    },
  };
}

/** Returns the schema of the rows of an array; undefined for anything but an array of objects. */
function elementOf(schema: Schema): Schema | undefined {
  const { def } = bare(schema) as { def?: { type: string; element?: Schema } };
  return def?.type === 'array' && def.element && fieldsOf(def.element).size > 0 ? def.element : undefined;
}

/** How a list accepts a page: in an object of options or beside its filters. */
function pagesIn(input: Schema) {
  const fields = fieldsOf(input);
  for (const container of ['queryOptions', 'options', 'searchParams', undefined]) {
    const options = container === undefined ? input : fields.get(container);
    const page = options && pageIn(fieldsOf(options));
    if (!page) continue;
    const place = (input: unknown, { skip, limit }: { skip: number; limit: number }) => {
      const given = input as Row;
      const paging = { [page.skip]: skip, limit };
      if (container === undefined) return { ...given, ...paging };
      return { ...given, [container]: { ...(given[container] as Row | undefined), ...paging } };
    };
    return { most: page.most, place };
  }
  return undefined;
}

function pageIn(fields: ReadonlyMap<string, Schema>) {
  const skip = ['skip', 'start'].find((name) => fields.has(name));
  const limit = fields.get('limit');
  if (!skip || !limit) return undefined;
  const { maxValue } = bare(limit) as { maxValue?: number | null };
  return { skip, most: Math.min(maxValue ?? PAGE, PAGE) };
}

/** Returns the fields of an object, or of all alternatives of a union. */
function fieldsOf(schema: Schema): Map<string, Schema> {
  const { def } = bare(schema) as {
    def?: { shape?: Record<string, Schema>; options?: Schema[]; left?: Schema; right?: Schema };
  };
  if (def?.shape) return new Map(Object.entries(def.shape));
  const parts = def?.options ?? (def?.left && def.right ? [def.left, def.right] : []);
  return new Map(parts.flatMap((part) => [...fieldsOf(part)]));
}

const scalarsOf = (shape: ReadonlyMap<string, Schema>): string[] =>
  [...shape].filter(([, schema]) => isScalar(schema)).map(([field]) => field);

/** Returns the fields of a row that consists of parts: `data.name`. */
const nestedScalars = (shape: ReadonlyMap<string, Schema>): string[] =>
  [...shape].flatMap(([part, schema]) => scalarsOf(fieldsOf(schema)).map((field) => `${part}.${field}`));

function isScalar(schema: Schema): boolean {
  const { def } = bare(schema) as { def?: { type: string; options?: Schema[] } };
  if (def?.options) return def.options.every(isScalar);
  return def !== undefined && (SCALARS.has(def.type) || def.type === 'null');
}

/** Returns a schema without what allows a value to be missing, has a default, or changes it. */
function bare(schema: Schema): Schema {
  const { def } = schema as { def?: { innerType?: Schema; in?: Schema; getter?: () => Schema } };
  const inner = def?.innerType ?? def?.in ?? def?.getter?.();
  return inner ? bare(inner) : schema;
}
