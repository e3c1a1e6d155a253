/** Keywords whose value is data that a document shows, not a part of it. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'value']);

/** Fields whose properties are named by the author, so that a property called `example` is no keyword. */
const NAMES = new Set([
  'properties',
  'patternProperties',
  'definitions',
  '$defs',
  'schemas',
  'parameters',
  'responses',
  'requestBodies',
  'headers',
  'securitySchemes',
  'callbacks',
  'links',
  'paths',
]);

type Path = (string | number)[];

/** Most references that are reported. */
const MOST = 100;

/**
 * Returns the paths of references that lead out of a document, at most 100. Nothing is ever fetched for a document, so
 * that it must hold what it refers to.
 *
 * @param document nests 200 levels deep at most
 */
export function externalReferences(document: object): Path[] {
  const found: Path[] = [];
  collect(document, false, [], found);
  return found;
}

/** @param isNames whether the properties are named by the author */
function collect(value: object, isNames: boolean, path: Path, found: Path[]): void {
  if (Array.isArray(value)) {
    for (const [at, inner] of value.entries()) enter(inner, at, false, path, found);
    return;
  }
  for (const name in value) {
    const inner: unknown = (value as Record<string, unknown>)[name];
    if (!isNames && name === '$ref' && typeof inner === 'string' && !inner.startsWith('#')) {
      if (found.length < MOST) found.push([...path, name]);
    } else if (isNames || !(DATA.has(name) || name.startsWith('x-'))) {
      enter(inner, name, !isNames && NAMES.has(name), path, found);
    }
  }
}

function enter(value: unknown, step: string | number, isNames: boolean, path: Path, found: Path[]): void {
  if (typeof value !== 'object' || value === null) return;
  path.push(step);
  // A list has no names: `parameters` is one of an operation, and an object of the components.
  collect(value, isNames, path, found);
  path.pop();
}
