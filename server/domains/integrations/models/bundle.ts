import { isObject } from '#server/kernel/json/objects.ts';
import type { AdapterTask } from '../adapter-task.ts';
import type { ApiOperation, DocumentSchema } from '../api-operation.ts';
import { follow, isReference, partAt, UnusableOperation } from './compile/references.ts';
import { asJsonSchema, type Replacement } from './json-schema.ts';
import { incomingOf, responseSchema } from './task.ts';

/** The schemas of a task with all that they refer to. */
export type TaskSchemas = Pick<AdapterTask, 'incoming' | 'outgoing'>;

/** Most references from a schema to the next, and what is tried when the schemas become too large with that many. */
const DEPTHS = [12, 6, 3, 2, 1, 0];
/** Largest schemas of a task, in characters of JSON. */
const MOST_CHARACTERS = 256 * 1024;

/**
 * Puts what the schemas of an operation refer to in their place: at most 12 references deep and 256 KiB in all. A schema
 * within itself, and what is deeper, is cut with a note.
 */
export function bundleTask(document: Record<string, unknown>, operation: ApiOperation): TaskSchemas {
  const answer = answerSchema(document, operation);
  const sizes = new Map<string, number>();
  for (const depth of DEPTHS) {
    const schemas = schemasAt({ document, operation, answer, sizes }, depth);
    if (schemas && JSON.stringify(schemas).length <= MOST_CHARACTERS) return schemas;
  }
  return { incoming: {}, outgoing: { response: responseSchema({ description: 'Too large to be shown' }) } };
}

type Bundling = {
  document: object;
  operation: ApiOperation;
  answer: unknown;
  /** Characters of the target of each reference. */
  sizes: Map<string, number>;
};

/** @returns undefined when the schemas are too large with that many references in a row */
function schemasAt({ document, operation, answer, sizes }: Bundling, depth: number): TaskSchemas | undefined {
  let characters = 0;
  const replaceWithin = (open: readonly string[]): Replacement => {
    return (reference) => {
      const name = reference.slice(reference.lastIndexOf('/') + 1);
      if (open.includes(reference)) return cut(name, 'it contains itself');
      if (open.length >= depth) return cut(name, 'it is too deep or too large');
      const target = partAt(document, reference);
      if (target === undefined) return cut(name, 'the document does not have it');
      const size = sizes.get(reference) ?? JSON.stringify(target).length;
      sizes.set(reference, size);
      characters += size;
      return characters > MOST_CHARACTERS ? {} : asJsonSchema(target, replaceWithin([...open, reference]));
    };
  };
  const replace = replaceWithin([]);
  const schemas = {
    incoming: incomingOf(operation, replace),
    outgoing: { response: responseSchema(asJsonSchema(answer, replace)) },
  };
  return characters > MOST_CHARACTERS ? undefined : schemas;
}

const cut = (title: string, why: string): DocumentSchema => ({ title, description: `Left out here: ${why}` });

/** Returns the schema of the answer to a call that succeeded; empty where the document has none. */
function answerSchema(document: Record<string, unknown>, operation: ApiOperation): unknown {
  try {
    const declared = declaredOperation(document, operation);
    const responses = isObject(declared?.responses) ? declared.responses : {};
    const status = ['200', '201', '202', '2XX', 'default'].find((one) => Object.hasOwn(responses, one));
    if (status === undefined) return {};
    const response = follow(document, responses[status], 'the answer');
    if (!isObject(response.content)) return response.schema ?? {};
    const contents = Object.entries(response.content);
    const [, content] = contents.find(([type]) => type.includes('json')) ?? contents[0] ?? [];
    return isObject(content) ? content.schema : {};
  } catch (error) {
    if (error instanceof UnusableOperation) return {};
    throw error;
  }
}

/** Finds the operation in its document: by method, and by the path, of which the model may have filled in names. */
function declaredOperation(
  document: Record<string, unknown>,
  { method, path }: ApiOperation,
): Record<string, unknown> | undefined {
  const paths = isObject(document.paths) ? document.paths : {};
  const isSame = (one: string) =>
    one === path ||
    `/${one}` === path ||
    one.replaceAll(/\{[^{}]*\}/g, '{}') === path.replaceAll(/\{[^{}]*\}/g, '{}');
  const key = Object.hasOwn(paths, path) ? path : Object.keys(paths).find(isSame);
  const item = key === undefined ? undefined : paths[key];
  const shared = isReference(item) ? follow(document, item, 'the path') : item;
  const found = isObject(shared) ? shared[method.toLowerCase()] : undefined;
  return isObject(found) ? found : undefined;
}
