import type { Method } from './methods/method.ts';

/** A branch of a context step: the step, and the index of the branch. */
export type Branch = { step: string; index: number };

/** The transfer of a value from an input or a step to a slot or an output. */
export type Edge = {
  id: string;
  from: { kind: 'incoming'; name: string } | { kind: 'step'; step: string };
  /** Path that is read in the source; for a step without the leading `return`. */
  read: string[];
  /** Path that is written in the slot or output. */
  write: string[];
  branches: Branch[];
};

/** An argument of a step: the literal of the document, and the edges that write to it, shallow paths first. */
export type Slot = { literal: unknown; isLiteral: boolean; edges: Edge[] };

/** The operation of a step. */
export type Action =
  | { kind: 'method'; method: Method; callback: ProgramBody | null; polymorph: number }
  | { kind: 'template'; texts: string[]; slots: number[] }
  | { kind: 'function'; body: ProgramBody }
  | { kind: 'context'; cases: unknown[] | null };

/** A step that produces a value. */
export type Operation = { id: string; name: string; action: Action; slots: Slot[]; branches: Branch[] };

/** Inputs, outputs and steps of the document, or of one of its functions. */
export type ProgramBody = {
  /** Id of the function; null for the document itself. */
  id: string | null;
  /** Its path in the document. */
  path: (string | number)[];
  incoming: string[];
  outgoing: { name: string; edges: Edge[] }[];
  operations: Map<string, Operation>;
  /** Functions that its steps call. */
  calls: Set<ProgramBody>;
};

/** Functions by id that a body can call: its own, then those of the enclosing bodies. */
export type Scope = { own: ReadonlyMap<string, ProgramBody>; outer: Scope | null };
