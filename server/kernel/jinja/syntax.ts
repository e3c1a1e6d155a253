/* The syntax tree of a template. `at` is an offset into its text, converted to line and column only for errors. */

/** Arguments of a call, a filter or a test. */
export type Arguments = { listed: Expression[]; named: [string, Expression][] };

export type Expression =
  | { kind: 'literal'; value: string | number | boolean | null; at: number }
  | { kind: 'name'; name: string; at: number }
  | { kind: 'list' | 'tuple'; items: Expression[]; at: number }
  | { kind: 'dict'; entries: [Expression, Expression][]; at: number }
  | { kind: 'member'; of: Expression; name: string; at: number }
  | { kind: 'index'; of: Expression; key: Expression; at: number }
  | {
      kind: 'slice';
      of: Expression;
      from: Expression | null;
      to: Expression | null;
      step: Expression | null;
      at: number;
    }
  | { kind: 'call'; of: Expression; args: Arguments; at: number }
  | { kind: 'filter'; of: Expression; name: string; args: Arguments; at: number }
  | { kind: 'test'; of: Expression; name: string; args: Arguments; negated: boolean; at: number }
  | { kind: 'sign' | 'not'; of: Expression; minus: boolean; at: number }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression; at: number }
  | { kind: 'choice'; when: Expression; yes: Expression; no: Expression | null; at: number };

/** Parameters of a macro; those with a default may be omitted. */
export type Parameter = { name: string; fallback: Expression | null };

/** The names to which the parts of a value are bound: one name for all of it, or one for each of its items. */
export type Target = string | Target[];

export type Statement =
  | { kind: 'text'; from: number; to: number; at: number }
  | { kind: 'output'; value: Expression; at: number }
  | { kind: 'if'; branches: { when: Expression | null; body: Statement[] }[]; at: number }
  | {
      kind: 'for';
      target: Target;
      over: Expression;
      filter: Expression | null;
      /** Whether `loop(items)` runs the body for the items of an item. */
      recursive: boolean;
      body: Statement[];
      otherwise: Statement[];
      at: number;
    }
  | { kind: 'break' | 'continue'; at: number }
  | { kind: 'set'; target: Target; value: Expression; at: number }
  | { kind: 'set member'; name: string; member: string; value: Expression; at: number }
  | { kind: 'capture'; name: string; filter: BodyFilter | null; body: Statement[]; at: number }
  | { kind: 'filter'; filter: BodyFilter; body: Statement[]; at: number }
  | { kind: 'with'; values: [string, Expression][]; body: Statement[]; at: number }
  | { kind: 'block'; body: Statement[]; at: number }
  | { kind: 'do'; value: Expression; at: number }
  | ({ kind: 'macro'; name: string; at: number } & MacroParts)
  | ({ kind: 'call'; call: Extract<Expression, { kind: 'call' }>; at: number } & MacroParts);

/** Filters for the text of a body, which is the variable `BODY` in them. */
export type BodyFilter = Expression;

/** The name of the text of a body in its filters; no variable can have it. */
export const BODY = '{body}';

/** A body with parameters: of a macro, or of a call, where the macro calls it as `caller`. */
export type MacroParts = {
  parameters: Parameter[];
  body: Statement[];
  /** Whether the body reads `varargs`, `kwargs`: more arguments than the parameters are accepted then. */
  takesMore: { listed: boolean; named: boolean };
};

/** A compiled template; it is immutable, so one serves any number of renderings. */
export type Program = {
  text: string;
  body: Statement[];
  /** Names of the variables that it may read. */
  reads: ReadonlySet<string>;
  /** Whether it may change lists and dicts, with methods such as `append`. */
  mutates: boolean;
};
