/** What is wrong with one member of a query: where it stands, and why; the shape of contract/decisions#2. */
export type Issue = { path: (string | number)[]; message: string; code: string };

/** How a condition compares; `matches` is an expression, tested outside the database. */
export type Operator =
  | 'eq'
  | 'contains'
  | 'prefix'
  | 'in'
  | 'not-in'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'matches';

/** A value to compare with, read as the field's own type. */
export type Value = string | number | boolean;

/** What a document must meet: one value, or several for `in` and `not-in`. */
export type Condition = {
  field: string;
  op: Operator;
  values: readonly Value[];
  /** Only for `matches`: the compiled expression. */
  test?: (text: string) => boolean;
  /** Only for `contains`: few rows are expected to match, and an index of bigrams finds them. */
  rare?: boolean;
};

/** 1 ascending, −1 descending. */
export type Direction = 1 | -1;
export type Sort = { field: string; order: Direction };

/**
 * A list request, whichever dialect said it (contract/lifecycle#0.3). Conditions all hold; the id settles what `sort`
 * leaves equal; `limit` null is everything from `skip` on; at most one of `include` and `exclude` is there.
 */
export type ListQuery = {
  where: Condition[];
  sort: Sort[];
  skip: number;
  limit: number | null;
  include: string[] | null;
  exclude: string[] | null;
};

/** The bounds of one query: beyond them it is refused, so that no caller sets what a list costs. */
export const BOUNDS = {
  /** Rows a page, and the page of a caller who does not say (contract/lifecycle#0.5). */
  limit: 1000,
  defaultLimit: 25,
  /** Members of the query, and of each object in it. */
  members: 500,
  conditions: 50,
  values: 1000,
  sorts: 10,
  projected: 100,
  /** Segments of a dotted field. */
  depth: 8,
  /** Characters of a value, and of a field's name. */
  text: 4096,
  name: 512,
  issues: 100,
} as const;

/** A query that cannot be answered; every reason at once, for a 400 of contract/decisions#2. */
export class QueryRefused extends Error {
  readonly issues: Issue[];
  constructor(issues: Issue[]) {
    super(issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
    this.name = 'QueryRefused';
    this.issues = issues;
  }
}
