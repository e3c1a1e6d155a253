import { isObject } from '#server/kernel/json/objects.ts';
import type { CallEffect } from '../api-operation.ts';

/** An action of an entity: a request that a package can send. */
export type PackageAction = { entity: string; name: string; method: string; hasMock: boolean };

/** Returns the actions of a parsed `entities/<entity>/action.json`; what is none is left out. */
export function actionsOf(entity: string, file: unknown): PackageAction[] {
  const actions = isObject(file) && Array.isArray(file.actions) ? file.actions : [];
  return actions.flatMap((action: unknown) => {
    if (!isObject(action) || typeof action.name !== 'string' || typeof action.method !== 'string') return [];
    const responses = Array.isArray(action.responseObjects) ? action.responseObjects : [];
    const hasMock = responses.some((one) => isObject(one) && Boolean(one.mockFile));
    return [{ entity, name: action.name, method: action.method.toUpperCase(), hasMock }];
  });
}

/** A method as the source of a package defines it. */
export type SourceMethod = {
  /** Its parameters, the callback included; null for those that are no plain names. */
  parameters: readonly (string | null)[];
  body: string;
};

/** Words that begin a statement with parentheses and a block, as a method does. */
const STATEMENTS = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'with']);

/**
 * Returns the methods of the classes in a source by name, found by their form alone: nothing is executed. A method
 * reaches to the next one.
 */
export function methodsOf(source: string): Map<string, SourceMethod> {
  const heads = [
    ...source.matchAll(/^[ \t]{1,4}(?:async[ \t]+)?([A-Za-z_$][\w$]*)[ \t]*\(([^()]{0,4000})\)[ \t]*\{/gm),
  ];
  const methods = new Map<string, SourceMethod>();
  for (const [at, head] of heads.entries()) {
    const [, name = '', parameters = ''] = head;
    if (STATEMENTS.has(name)) continue;
    methods.set(name, {
      parameters: parametersOf(parameters),
      body: source.slice(head.index, heads[at + 1]?.index ?? source.length),
    });
  }
  return methods;
}

const parametersOf = (text: string): (string | null)[] =>
  text.trim() === ''
    ? []
    : text.split(',').map((one) => /^\s*([A-Za-z_$][\w$]*)\s*(?:=.*)?$/s.exec(one)?.[1] ?? null);

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const REPEATABLE = new Set(['PUT', 'DELETE']);

/**
 * Returns the HTTP methods of the actions that a method of the package sends, found in its source.
 *
 * @param name of the method
 * @param method its source; undefined: it was not found there
 * @returns each once, "" for an action that cannot be found; empty when there is none
 */
export function httpMethodsOf(
  name: string,
  method: SourceMethod | undefined,
  actions: readonly PackageAction[],
): string[] {
  const called = [
    ...(method?.body.matchAll(/identifyRequest\(\s*(['"`])([^'"`]+)\1\s*,\s*(['"`])([^'"`]+)\3/g) ?? []),
  ];
  const sent = called.map(([, , entity, , action]) =>
    actions.find((one) => one.entity === entity && one.name === action),
  );
  // What the source does not show, the usual name does: an action is called as its method.
  const found = called.length > 0 ? sent : actions.filter((one) => one.name === name);
  // An action that cannot be found may be anything.
  return [...new Set(found.map((one) => one?.method ?? ''))];
}

/**
 * Returns what happens to a call that was interrupted: only a method that sends requests of one kind, which can be sent
 * again, is repeated (RFC 9110 §9.2.2).
 */
export function effectOf(httpMethods: readonly string[]): CallEffect {
  const [only, ...others] = httpMethods;
  if (only === undefined || others.length > 0) return 'unsafe';
  if (READS.has(only)) return 'read';
  return REPEATABLE.has(only) ? 'keyed' : 'unsafe';
}
