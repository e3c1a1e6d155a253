import type { Operation } from '#server/http/operations.ts';
import { type Description, openApiPath } from './operation.ts';

/** The document's endpoints: path, lower-case method, description. */
export type Paths = Record<string, Record<string, Description>>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Adds an endpoint under its path or an alias. Paths that differ only in their parameter names are one path in OpenAPI:
 * the later one takes the earlier one's names, which makes no difference to callers.
 */
export function addPath(paths: Paths, operation: Operation, path: string, description: Description): void {
  const own = openApiPath(path);
  const shape = shapeOf(own);
  const template = Object.keys(paths).find((one) => shapeOf(one) === shape) ?? own;
  const item = paths[template] ?? {};
  paths[template] = item;
  const method = operation.method.toLowerCase();
  // An alias never replaces an endpoint that has this path as its own.
  item[method] ??= withNames(description, namesIn(own), namesIn(template));
}

/** Sorts the paths, so that related endpoints are next to each other. */
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
