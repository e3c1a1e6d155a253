/** A problem with one parameter of a query: its path, and why; the shape of contract/decisions#2. */
export type Issue = { path: (string | number)[]; message: string; code: string };

/** The operator of a condition; `matches` is an expression, tested outside the database. */
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

/** A value to compare with, parsed as the field's type. */
export type Value = string | number | boolean;

/** A condition on a document, with one value, or several for `in` and `not-in`. */
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
 * A list request, in whichever form it was sent (contract/lifecycle#0.3). All conditions must hold; the id orders rows that
 * are equal by `sort`; a null `limit` means all rows from `skip` on; at most one of `include` and `exclude` is set.
 */
export type ListQuery = {
  where: Condition[];
  sort: Sort[];
  skip: number;
  limit: number | null;
  include: string[] | null;
  exclude: string[] | null;
};

/** The limits of one query, beyond which it is rejected, so that the cost of a list is bounded. */
export const BOUNDS = {
  /** Maximum and default number of rows per page (contract/lifecycle#0.5). */
  limit: 1000,
  defaultLimit: 25,
  /** Parameters of the query, and properties of each object in it. */
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

/** Thrown for a query that cannot be answered, with every reason at once, for a 400 of contract/decisions#2. */
export class InvalidListQuery extends Error {
  readonly issues: Issue[];
  constructor(issues: Issue[]) {
    super(issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
    this.name = 'InvalidListQuery';
    this.issues = issues;
  }
}
