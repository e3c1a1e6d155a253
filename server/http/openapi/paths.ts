import type { Operation } from '#server/http/operations.ts';
import { braced, type Description } from './operation.ts';

/** The document's endpoints: path, method in lower case, description. */
export type Paths = Record<string, Record<string, Description>>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Enter an endpoint under its path, or under an alias. Two paths that differ only in the names of their parameters are
 * one in OpenAPI: the later takes the names of the earlier, which change nothing for a caller.
 */
export function addPath(paths: Paths, operation: Operation, path: string, description: Description): void {
  const own = braced(path);
  const shape = shapeOf(own);
  const template = Object.keys(paths).find((one) => shapeOf(one) === shape) ?? own;
  const item = paths[template] ?? {};
  paths[template] = item;
  const method = operation.method.toLowerCase();
  // An alias never stands in the way of an endpoint that has this path as its own.
  item[method] ??= withNames(description, namesIn(own), namesIn(template));
}

/** Sorted by path, so that what belongs together stands together. */
export const sortedPaths = (paths: Paths): Paths =>
  Object.fromEntries(
    Object.keys(paths)
      .sort()
      .map((path) => [
        path,
        Object.fromEntries(
          METHODS.flatMap((method) => {
            const description = paths[path]?.[method];
            return description ? [[method, description]] : [];
          }),
        ),
      ]),
  );

const shapeOf = (template: string) => template.replace(/\{\w+\}/g, '{}');
const namesIn = (template: string) => [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

function withNames(description: Description, own: string[], names: string[]): Description {
  if (own.join() === names.join() || !description.parameters) return description;
  const parameters = description.parameters.map((parameter) =>
    parameter.in === 'path'
      ? { ...parameter, name: names[own.indexOf(parameter.name)] ?? parameter.name }
      : parameter,
  );
  return { ...description, parameters };
}
