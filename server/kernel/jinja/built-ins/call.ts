import type { RenderState } from '../run.ts';

/** The arguments of a function or method of the language, and the rendering that calls it. */
export type Call = {
  listed: readonly unknown[];
  named: ReadonlyMap<string, unknown>;
  run: RenderState;
  /** Offset of the call in the template. */
  at: number;
};
