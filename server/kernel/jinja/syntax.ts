/* The syntax tree of a template. `at` is an offset into its text, converted to line and column only for errors. */

/** Arguments of a call, a filter or a test. */
export type Arguments = { listed: Expression[]; named: [string, Expression][] };

export type Expression =
  | { kind: 'literal'; value: string | number | boolean | null; at: number }
  | { kind: 'name'; name: string; at: number }
  | { kind: 'list'; items: Expression[]; at: number }
  | { kind: 'dict'; entries: [Expression, Expression][]; at: number }
  | { kind: 'member'; of: Expression; name: string; at: number }
  | { kind: 'index'; of: Expression; key: Expression; at: number }
  | { kind: 'slice'; of: Expression; from: Expression | null; to: Expression | null; at: number }
  | { kind: 'call'; of: Expression; args: Arguments; at: number }
  | { kind: 'filter'; of: Expression; name: string; args: Arguments; at: number }
  | { kind: 'test'; of: Expression; name: string; args: Arguments; negated: boolean; at: number }
  | { kind: 'sign' | 'not'; of: Expression; minus: boolean; at: number }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression; at: number }
  | { kind: 'choice'; when: Expression; yes: Expression; no: Expression | null; at: number };

/** Parameters of a macro; those with a default may be omitted. */
export type Parameter = { name: string; fallback: Expression | null };

export type Statement =
  | { kind: 'text'; from: number; to: number; at: number }
  | { kind: 'output'; value: Expression; at: number }
  | { kind: 'if'; branches: { when: Expression | null; body: Statement[] }[]; at: number }
  | {
      kind: 'for';
      targets: string[];
      over: Expression;
      filter: Expression | null;
      body: Statement[];
      otherwise: Statement[];
      at: number;
    }
  | { kind: 'set'; target: { name: string; member: string | null }; value: Expression; at: number }
  | { kind: 'capture'; name: string; body: Statement[]; at: number }
  | { kind: 'macro'; name: string; parameters: Parameter[]; body: Statement[]; at: number };

/** A compiled template; it is immutable, so one serves any number of renderings. */
export type Program = {
  text: string;
  body: Statement[];
  /** Names of the variables that it may read. */
  reads: ReadonlySet<string>;
};
