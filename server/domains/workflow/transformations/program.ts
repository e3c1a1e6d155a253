import type { Method } from './methods/method.ts';

/** A branch of a context step: the step, and which of its branches. */
export type Branch = { step: string; index: number };

/** A value that passes from an input or a step into a slot or an output. */
export type Edge = {
  id: string;
  from: { kind: 'incoming'; name: string } | { kind: 'step'; step: string };
  /** What is read of it; for a step without the leading `return`. */
  read: string[];
  /** Where it is written, below the slot or the output. */
  write: string[];
  branches: Branch[];
};

/** An argument of a step: the literal of the document, and what is wired over it, shallow first. */
export type Slot = { literal: unknown; isLiteral: boolean; edges: Edge[] };

/** What a step does. */
export type Action =
  | { kind: 'method'; method: Method; callback: ProgramBody | null; polymorph: number }
  | { kind: 'template'; texts: string[]; slots: number[] }
  | { kind: 'function'; body: ProgramBody }
  | { kind: 'context'; cases: unknown[] | null };

/** A step that gives a value. */
export type Operation = { id: string; name: string; action: Action; slots: Slot[]; branches: Branch[] };

/** Inputs, outputs and steps of the document, or of one of its functions. */
export type ProgramBody = {
  /** Id of the function; null: the document itself. */
  id: string | null;
  /** Where it stands in the document. */
  path: (string | number)[];
  incoming: string[];
  outgoing: { name: string; edges: Edge[] }[];
  operations: Map<string, Operation>;
  /** Functions that its steps call. */
  calls: Set<ProgramBody>;
};

/** Functions by id that a body can call: its own, then those around it. */
export type Scope = { own: ReadonlyMap<string, ProgramBody>; outer: Scope | null };
