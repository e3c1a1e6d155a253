import { isObject } from '#server/kernel/json/objects.ts';

/** Fields that differ between platforms and change with every write: history and authors are those of the commits. */
const STAMPS = [
  'created',
  'createdBy',
  'created_by',
  'lastUpdated',
  'lastUpdatedBy',
  'last_updated',
  'last_updated_by',
  'updated',
  'updatedBy',
  'createdVersion',
  'lastUpdatedVersion',
];
/** Fields that the service itself calculates or assigns. */
const DERIVED = ['errors', 'warnings', 'encodingVersion', 'referencedComponentHashes', 'staleLines'];

type Json = Record<string, unknown>;

/**
 * Returns an object without some of its fields.
 *
 * @param fields names of fields of the object itself
 */
export const without = (document: Json, fields: readonly string[]): Json =>
  Object.fromEntries(Object.entries(document).filter(([field]) => !fields.includes(field)));

/**
 * Returns a document without stamps and derived fields.
 *
 * @param more names of further fields that are left out
 */
export const portable = (document: Json, ...more: string[]): Json =>
  without(document, [...STAMPS, ...DERIVED, ...more]);

/**
 * Returns a project file whose components have no stamps either.
 *
 * @param project an exported project
 */
export function portableProject(project: Json): Json {
  const { components, ...rest } = portable(project);
  if (!Array.isArray(components)) return rest;
  return {
    ...rest,
    components: components.map((component: unknown) =>
      isObject(component) && isObject(component.document)
        ? { ...component, document: portable(component.document) }
        : component,
    ),
  };
}

const NODE_IDS = ['configId', 'devices', 'deviceGroups'];
const IDS = ['id', '_id', 'treeId', 'versionId'];

function portableNode(node: Json): Json {
  const { attributes, children, ...rest } = node;
  const plain = portable(rest);
  const { export: spec, ...own } = isObject(attributes) ? attributes : {};
  return {
    ...plain,
    ...(isObject(attributes) && {
      attributes: {
        ...portable(own, ...NODE_IDS, 'staleLines'),
        ...(spec !== undefined && { export: isObject(spec) ? portable(spec, ...IDS) : spec }),
      },
    }),
    ...(Array.isArray(children) && {
      children: children.map((child: unknown) => (isObject(child) ? portableNode(child) : child)),
    }),
  };
}

/**
 * Returns a version of a tree without ids, stamps and devices, which belong to one platform.
 *
 * @param version a version of an exported tree
 */
export function portableVersion(version: Json): Json {
  const { root, ...rest } = version;
  return { ...portable(rest, ...IDS), ...(isObject(root) && { root: portableNode(root) }) };
}

/** Returns a value with the fields of every object in alphabetical order. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, ordered(value[key])]),
  );
};

/**
 * Returns a document as the text of a file: the same text for the same content.
 *
 * @returns JSON with the fields in alphabetical order and a line end
 */
export const textOf = (document: unknown): string => `${JSON.stringify(ordered(document), null, 2)}\n`;
