/** Keywords whose value is data that a document shows, not a part of it. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'value']);

/** Fields whose members are named by the author, so that a member called `example` is no keyword. */
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

type Part = { value: unknown; path: readonly (string | number)[]; isNames: boolean };

/** Most references that are reported. */
const MOST = 100;

/**
 * Returns the paths of references that lead out of a document, at most 100. Nothing is ever fetched for a document, so
 * that it must hold what it refers to.
 */
export function externalReferences(document: object): (readonly (string | number)[])[] {
  const found: (readonly (string | number)[])[] = [];
  const open: Part[] = [{ value: document, path: [], isNames: false }];
  for (let part = open.pop(); part && found.length < MOST; part = open.pop()) {
    const { value, path, isNames } = part;
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    for (const [name, inner] of Object.entries(value)) {
      const isKeyword = !isNames && !isList;
      if (isKeyword && name === '$ref' && typeof inner === 'string' && !inner.startsWith('#')) {
        found.push([...path, name]);
      }
      if (typeof inner !== 'object' || (isKeyword && (DATA.has(name) || name.startsWith('x-')))) continue;
      const step = isList ? Number(name) : name;
      open.push({
        value: inner,
        path: [...path, step],
        isNames: isKeyword && NAMES.has(name) && !Array.isArray(inner),
      });
    }
  }
  return found;
}
