import { isObject } from '#server/kernel/json/objects.ts';

/** An error in a transformation, or a warning about something that may fail in a run. */
export type TransformationFinding = { code: string; message: string; path: Path };

/** The path of a value in a document. */
export type Path = (string | number)[];

/** An object of a document, with any fields. */
export type JsonObject = Record<string, unknown>;

/** Maximum number of findings of each kind that one check reports. */
export const MOST = 100;

/** Returns the objects in a list; an empty list for other values. */
export const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Returns the fields of an object; none for other values. */
export const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Returns a value as messages quote it. */
export const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 60);

/** Adds a finding, unless the maximum is reached. */
export const addFinding = (list: TransformationFinding[], code: string, message: string, path: Path): void =>
  void (list.length < MOST && list.push({ code, message, path }));

/** The findings of compiling: errors that stop a run (`stops`), and warnings (`notes`). */
export type CompileFindings = { stops: TransformationFinding[]; notes: TransformationFinding[] };
