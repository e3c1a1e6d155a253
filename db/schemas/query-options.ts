import { z } from 'zod';
import { text } from './fields.ts';

/**
 * Page and order of a list (spec §2.1, decisions §4). No defaults here: an absent limit means 25, or all, as the
 * endpoint says.
 */
export const QueryOptions = z
  .strictObject({
    skip: z.int().min(0).optional().describe('Rows to leave out from the start of the list; absent: 0'),
    limit: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Rows to return at most, 1 to 1000; absent: 25, or all where the collection is small'),
    sort: text('Field to order by; dots reach inside (metrics.start_time). Ties are ordered by id', 'name'),
    order: z
      .union([z.literal(1), z.literal(-1)])
      .optional()
      .describe('1 for ascending, -1 for descending; absent: 1'),
  })
  .meta({ id: 'QueryOptions', description: 'Page and order of a list.' });
export type QueryOptions = z.infer<typeof QueryOptions>;

/** Text filters of the pair dialect: the value in one parameter, the field's name in another (spec §4.22). */
export const PairTextFilters = {
  equals: text('Keep rows whose field named by equalsField is exactly this; case counts'),
  equalsField: text('Field that equals looks at', 'name'),
  contains: text('Keep rows whose field named by containsField holds this text anywhere; case is ignored'),
  containsField: text('Field that contains looks at', 'name'),
  startsWith: text('Keep rows whose field named by startsWithField begins with this text; case is ignored'),
  startsWithField: text('Field that startsWith looks at', 'name'),
};

/** Range filters of the pair dialect (lifecycle §0.3). */
export const PairRangeFilters = {
  greaterThan: text('Keep rows whose field named by greaterThanField is above this'),
  greaterThanField: text('Field that greaterThan looks at'),
  greaterThanEquals: text('Keep rows whose field named by greaterThanEqualsField is this or above'),
  greaterThanEqualsField: text('Field that greaterThanEquals looks at'),
  lessThan: text('Keep rows whose field named by lessThanField is below this'),
  lessThanField: text('Field that lessThan looks at'),
  lessThanEquals: text('Keep rows whose field named by lessThanEqualsField is this or below'),
  lessThanEqualsField: text('Field that lessThanEquals looks at'),
};

const PAIRS = [
  'equals',
  'contains',
  'startsWith',
  'greaterThan',
  'greaterThanEquals',
  'lessThan',
  'lessThanEquals',
] as const;

/** Told together with the other issues of the query, so that a caller mends it in one go (decisions §2). */
const readable = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

/**
 * Refuse a filter value whose field is not named (decisions §4, 4.22); the path is the missing `…Field`.
 *
 * @param query  a closed query object that holds members of the pair dialect
 */
export const withFieldsNamed = <Query extends z.ZodType<Record<string, unknown>>>(query: Query): Query =>
  PAIRS.reduce(
    (checked, pair) =>
      checked.refine((given) => given[pair] === undefined || given[`${pair}Field`] !== undefined, {
        path: [`${pair}Field`],
        error: `${pair} needs ${pair}Field, the field to look at`,
        when: readable,
      }),
    query,
  );

/**
 * A closed query of the pair dialect (lifecycle §0.3): page and order, text and range filters, and an endpoint's own
 * parameters. Values are text and literal; the list reads them as the field's type.
 *
 * @param own  further parameters of the endpoint, such as `inactive`
 */
export const pairQuery = <Own extends z.core.$ZodLooseShape>(own: Own) =>
  withFieldsNamed(
    z.strictObject({ ...QueryOptions.shape, ...PairTextFilters, ...PairRangeFilters }).extend(own),
  );

/** A value to compare with: text, number or true/false. */
const FilterValue = z.union([z.string(), z.number(), z.boolean()]);

const perField = (description: string) =>
  z.record(z.string(), FilterValue).optional().describe(`${description}. Members: field name, value`);
const setPerField = (description: string) =>
  z
    .record(z.string(), z.array(FilterValue))
    .optional()
    .describe(`${description}. Members: field name, values`);

/** Filters and projection of the bracket dialect (lifecycle §0.3): `contains[name]=core`. */
export const BracketFilters = {
  equals: perField('Keep rows whose field is exactly the value; case counts'),
  contains: perField('Keep rows whose field holds the text anywhere; case is ignored'),
  'starts-with': perField('Keep rows whose field begins with the text; case is ignored'),
  in: setPerField('Keep rows whose field is one of the values'),
  'not-in': setPerField('Keep rows whose field is none of the values'),
  gt: perField('Keep rows whose field is above the value'),
  gte: perField('Keep rows whose field is the value or above'),
  lt: perField('Keep rows whose field is below the value'),
  lte: perField('Keep rows whose field is the value or below'),
  include: text('Fields to return, separated by commas; _id always comes along', 'name,status'),
  exclude: text('Fields to leave out, separated by commas; never together with include', 'tasks,transitions'),
};

/**
 * A closed query of the bracket dialect (lifecycle §0.3): page and order, filters, projection, and an endpoint's own
 * parameters. `include` together with `exclude` is refused.
 *
 * @param own  further parameters of the endpoint
 */
export const bracketQuery = <Own extends z.core.$ZodLooseShape>(own: Own) =>
  z
    .strictObject({ ...QueryOptions.shape, ...BracketFilters })
    .extend(own)
    .refine((given: Record<string, unknown>) => given.include === undefined || given.exclude === undefined, {
      path: ['exclude'],
      error: 'include and exclude cannot be given together',
      when: readable,
    });
