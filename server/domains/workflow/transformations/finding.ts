import { isObject } from '#server/kernel/json/objects.ts';

/** One thing that is wrong with a transformation, or that a run may stumble over. */
export type TransformationFinding = { code: string; message: string; path: Path };

/** A place in a document. */
export type Path = (string | number)[];

/** An object of a document, whatever it holds. */
export type JsonObject = Record<string, unknown>;

/** Findings of each kind that one check tells. */
export const MOST = 100;

/** The objects of a list; nothing of what is none. */
export const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The members of an object; none of what is none. */
export const membersOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** A value as messages quote it. */
export const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 60);

/** Note one more finding, unless there are enough. */
export const addFinding = (list: TransformationFinding[], code: string, message: string, path: Path): void =>
  void (list.length < MOST && list.push({ code, message, path }));

/** What compiling finds: what stops a run, and what should be looked at. */
export type CompileFindings = { stops: TransformationFinding[]; notes: TransformationFinding[] };
