import { z } from 'zod';
import { text } from './fields.ts';

const DIRECTION = z.union([z.literal(1), z.literal(-1)]);

/** The direction of an order, as a number or in words. */
export const Order = z
  .union([z.literal(1), z.literal(-1), z.enum(['ascending', 'descending'])])
  .describe('1 or ascending, -1 or descending; absent: 1');

/** A parameter that is either a text or an object from field to value. */
const orByField = (value: z.ZodType, description: string, ...examples: string[]) =>
  z
    .union([z.string(), z.record(z.string(), value)])
    .optional()
    .meta({ description, ...(examples.length > 0 && { examples }) });

/**
 * Paging and order of a list (contract/resources#2.1, contract/lifecycle#0.5), in each form that lists accept
 * (docs/lists.md). There are no defaults here: a missing limit means 25 or all, depending on the endpoint.
 */
export const QueryOptions = z
  .strictObject({
    skip: z.int().min(0).optional().describe('Number of rows to skip; absent: 0'),
    start: z.int().min(0).optional().describe('The same as skip'),
    limit: z
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('Maximum number of rows to return, 1 to 1000; absent: 25, or all rows of a small collection'),
    sort: orByField(
      DIRECTION,
      'Field to order by, with dots for nested fields (metrics.start_time); or several, each with 1 or -1. Ties are ordered by id',
      'name',
    ),
    order: Order.optional(),
  })
  .meta({ id: 'QueryOptions', description: 'Page and order of a list.' });

/** A value to compare with: text, number or true/false. */
const FilterValue = z.union([z.string(), z.number(), z.boolean()]);

/** Filters with the same name in both dialects: the field is in brackets, or named by a second parameter. */
const SharedFilters = {
  equals: orByField(FilterValue, 'Keep rows whose field equals this; case-sensitive'),
  equalsField: text('Field of equals, unless it is in brackets', 'name'),
  contains: orByField(FilterValue, 'Keep rows whose field contains this text; case is ignored'),
  containsField: text('Field of contains, unless it is in brackets', 'name'),
};

/**
 * Further filters of the pair dialect: the value in one parameter, the field's name in another (contract/lifecycle#0.3).
 */
const PairFilters = {
  startsWith: text('Keep rows whose field named by startsWithField begins with this text; case is ignored'),
  startsWithField: text('Field of startsWith', 'name'),
  greaterThan: text('Keep rows whose field named by greaterThanField is greater than this'),
  greaterThanField: text('Field of greaterThan'),
  greaterThanEquals: text(
    'Keep rows whose field named by greaterThanEqualsField is greater than or equal to this',
  ),
  greaterThanEqualsField: text('Field of greaterThanEquals'),
  lessThan: text('Keep rows whose field named by lessThanField is less than this'),
  lessThanField: text('Field of lessThan'),
  lessThanEquals: text('Keep rows whose field named by lessThanEqualsField is less than or equal to this'),
  lessThanEqualsField: text('Field of lessThanEquals'),
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

/** Lets a check run even if there are other issues, so that the caller sees all at once (contract/decisions#2). */
const readable = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null;

/** Checks for a plain value: neither an object from field to value, nor one as JSON text. */
const isPlain = (value: unknown) => typeof value === 'string' && !value.startsWith('{');

/** Rejects a filter value whose field is not named (contract/endpoints#4.22); the path is the missing `…Field`. */
const withFieldsNamed = <Query extends z.ZodType<Record<string, unknown>>>(query: Query): Query =>
  PAIRS.reduce(
    (checked, pair) =>
      checked.refine((given) => !isPlain(given[pair]) || given[`${pair}Field`] !== undefined, {
        path: [`${pair}Field`],
        error: `${pair} requires ${pair}Field, the name of the field`,
        when: readable,
      }),
    query,
  );

const perField = (description: string) =>
  z
    .record(z.string(), FilterValue)
    .optional()
    .describe(`${description}. Keys: field names; values: the values`);
const setPerField = (description: string) =>
  z
    .record(z.string(), z.union([FilterValue, z.array(FilterValue)]))
    .optional()
    .describe(`${description}. Keys: field names; values: lists of values, or one value`);

/** Further filters of the bracket dialect (contract/lifecycle#0.3): `gte[created]=2026-01-01`. */
const BracketFilters = {
  'starts-with': perField('Keep rows whose field begins with the text; case is ignored'),
  in: setPerField('Keep rows whose field is one of the values'),
  'not-in': setPerField('Keep rows whose field is none of the values'),
  gt: perField('Keep rows whose field is greater than the value'),
  gte: perField('Keep rows whose field is greater than or equal to the value'),
  lt: perField('Keep rows whose field is less than the value'),
  lte: perField('Keep rows whose field is less than or equal to the value'),
  filter: perField('The same as contains in brackets; an empty text does not filter'),
};

/**
 * Names of fields, separated by commas: as one text, or as the list that a parameter makes which a client repeats. The OpenAPI document
 * shows the text alone, because generators send a choice as an object.
 */
const fieldNames = (description: string, example: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({
      description: `${description}; several separated by commas, or each as a parameter of its own`,
      examples: [example],
      override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
        delete jsonSchema.anyOf;
        jsonSchema.type = 'string';
      },
    });

const Projection = {
  include: fieldNames('Fields to return, beside _id', 'name,description'),
  exclude: fieldNames('Fields to omit; not together with include', 'description'),
};

/** The parameters that lists accept, for the error message about unknown ones. */
const FORM =
  'this list accepts skip or start, limit, sort, order, and filters such as equals[field]=value or equals=value&equalsField=field';

/**
 * A closed query of a list in either dialect (contract/lifecycle#0.3, docs/lists.md): page, order, filters, and an
 * endpoint's own parameters. Values are literal; the list reads them as the field's type.
 *
 * @param own  further parameters of the endpoint, such as `inactive`
 */
export const listQuery = <Own extends z.core.$ZodLooseShape>(own: Own) =>
  withFieldsNamed(
    z
      .strictObject(
        { ...QueryOptions.shape, ...SharedFilters, ...PairFilters, ...BracketFilters },
        { error: ({ code }) => (code === 'unrecognized_keys' ? FORM : undefined) },
      )
      .extend(own),
  );

/** A closed query of a list that can return selected fields: `include` or `exclude`, never both. */
export const projectedQuery = () =>
  listQuery(Projection).refine(
    (given: Record<string, unknown>) => given.include === undefined || given.exclude === undefined,
    { path: ['exclude'], error: 'include and exclude cannot be combined', when: readable },
  );
