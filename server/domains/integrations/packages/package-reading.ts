import { type Issue, invalidRequest } from '#server/kernel/errors.ts';
import { isObject } from '#server/kernel/json/objects.ts';
import { pointerNames } from '#server/kernel/json/pointer.ts';
import type { CallEffect } from '../api-operation.ts';
import { type AdapterCatalogue, type CatalogueTask, readPronghorn } from '../catalogues/pronghorn.ts';
import { actionsOf, effectOf, httpMethodsOf, methodsOf } from './effects.ts';

/** The files of a package that are read, parsed as JSON where they are; nothing of it is executed. */
export type PackageFiles = {
  pronghorn: unknown;
  /** null: the package has none. */
  propertiesSchema: unknown;
  propertiesDecorators: unknown;
  packageJson: unknown;
  /** Parsed `action.json` by the name of the entity. */
  entities: ReadonlyMap<string, unknown>;
  /** Source of the entry, and of the base class beside it. */
  sources: readonly string[];
  /** Names of the modules in its node_modules. */
  ownModules: readonly string[];
};

/** A task of a package, and what its loss means. */
export type PackageTask = CatalogueTask & { effect: CallEffect; hasMock: boolean };

/** The manifest of a package, as it was read. */
export type PackageFacts = Omit<AdapterCatalogue, 'tasks' | 'src'> & {
  version: string;
  license: string;
  /** File that exports the class. */
  entry: string;
  tasks: readonly PackageTask[];
  /** JSON schema of the connection. */
  schema: Readonly<Record<string, unknown>>;
  /** Fields of the connection that are secrets besides those whose names say so. */
  secrets: readonly (readonly string[])[];
  /** Modules that it needs and does not bring along. */
  needs: readonly string[];
  /** Methods for devices that it has. */
  brokers: readonly string[];
  warnings: readonly string[];
};

/** Methods by which an adapter is a source of devices. */
const BROKER_METHODS = [
  'getDevice',
  'getDevicesFiltered',
  'isAlive',
  'getConfig',
  'iapGetDeviceCount',
  'setConfig',
];

const TYPE = /^[A-Za-z][A-Za-z0-9_-]{0,99}$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9.+-]{0,99}$/;
const ENTRY = /^(?!.*\.\.)[\w][\w./-]{0,199}\.c?js$/;

/**
 * Reads the files of a package.
 *
 * @throws ServiceError BAD_REQUEST with everything that makes it unusable
 */
export function readPackage(files: PackageFiles): PackageFacts {
  const read = readPronghorn(files.pronghorn);
  if ('issues' in read) {
    throw invalidRequest(
      read.issues.map((issue) => ({ ...issue, path: ['pronghorn.json', ...issue.path] })),
      'The package cannot be used',
    );
  }
  const { src, tasks, ...catalogue } = read.catalogue;
  const about = isObject(files.packageJson) ? files.packageJson : {};
  const textOf = (name: string) => (typeof about[name] === 'string' ? about[name] : '');
  const entry = (src ?? (textOf('main') || 'adapter.js')).replace(/^\.\//, '');
  const version = textOf('version') || '0.0.0';
  assertNames({ type: catalogue.type, version, entry });
  const methods = methodsIn(files.sources);
  const actions = [...files.entities].flatMap(([entity, file]) => actionsOf(entity, file));
  return {
    ...catalogue,
    version,
    entry,
    license: textOf('license') || 'none',
    tasks: tasks.map((task) => ({
      ...task,
      effect: effectOf(httpMethodsOf(task.name, methods.get(task.name), actions)),
      hasMock: actions.some((action) => action.hasMock && action.name === task.name),
    })),
    schema: isObject(files.propertiesSchema) ? files.propertiesSchema : { type: 'object' },
    secrets: secretsOf(files.propertiesDecorators),
    needs: needsOf(about, files.sources, files.ownModules),
    brokers: BROKER_METHODS.filter((name) => methods.has(name)),
    warnings: warningsOf(files, tasks, methods),
  };
}

function assertNames({ type, version, entry }: { type: string; version: string; entry: string }): void {
  const issues: Issue[] = [];
  const say = (path: string[], message: string) => void issues.push({ path, message, code: 'custom' });
  if (!TYPE.test(type))
    say(['pronghorn.json', 'export'], 'must be a letter and up to 99 of A-Z a-z 0-9 _ -: it names a folder');
  if (!VERSION.test(version)) say(['package.json', 'version'], 'must be a version such as 1.2.0');
  if (!ENTRY.test(entry)) say(['pronghorn.json', 'src'], 'must be the path of a .js file in the package');
  if (issues.length > 0) throw invalidRequest(issues, 'The package cannot be used');
}

/** Returns the methods of all sources; those of the first one, the class itself, win. */
const methodsIn = (sources: readonly string[]) =>
  new Map(sources.toReversed().flatMap((source) => [...methodsOf(source)]));

/** Returns the paths of the fields that `propertiesDecorators.json` wants encrypted. */
function secretsOf(decorators: unknown): string[][] {
  if (!Array.isArray(decorators)) return [];
  return decorators.flatMap((one: unknown) => {
    const names = isObject(one) && typeof one.pointer === 'string' ? pointerNames(one.pointer) : null;
    return names && names.length > 0 ? [[...names]] : [];
  });
}

/** Modules that a stand-in replaces where they are not used (server/southbound/packages/process/stand-ins.cjs). */
const REPLACED = new Set([
  ...['readline-sync', 'mocha', 'winston', 'prompts', 'commander', 'ping', 'network-diagnostics'],
  ...['aws-sdk', 'mongodb'],
]);

/** Modules that generated packages declare to need, for scripts and tests of their authors alone. */
const FOR_AUTHORS = new Set(['acorn', 'dns-lookup-promise', 'mocha-param', 'nyc', 'semver']);

/** Returns the modules of other packages that the sources load, and those that the package declares to need. */
function needsOf(
  about: Readonly<Record<string, unknown>>,
  sources: readonly string[],
  own: readonly string[],
): string[] {
  const { dependencies } = about;
  const declared = isObject(dependencies)
    ? Object.keys(dependencies).filter((name) => !FOR_AUTHORS.has(name))
    : [];
  const loaded = sources.flatMap((source) =>
    [...source.matchAll(/require\(\s*['"]([^'"]+)['"]\s*\)/g)].map(([, name = '']) => name),
  );
  const modules = [...declared, ...loaded].flatMap((name) => /^(@[^/]+\/)?[^./@][^/]*/.exec(name)?.[0] ?? []);
  return [...new Set(modules)]
    .filter((name) => !name.startsWith('node:') && !BUILT_IN.has(name))
    .filter((name) => !own.includes(name) && !REPLACED.has(name))
    .sort();
}

/** Modules of Node that packages load without `node:`. */
const BUILT_IN = new Set([
  ...[
    'assert',
    'async_hooks',
    'buffer',
    'child_process',
    'crypto',
    'dns',
    'events',
    'fs',
    'http',
    'http2',
    'https',
  ],
  ...[
    'module',
    'net',
    'os',
    'path',
    'perf_hooks',
    'process',
    'punycode',
    'querystring',
    'readline',
    'stream',
  ],
  ...['string_decoder', 'timers', 'tls', 'tty', 'url', 'util', 'v8', 'vm', 'worker_threads', 'zlib'],
]);

/** Largest number of names in one warning. */
const SHOWN = 10;

function warningsOf(
  { sources, propertiesSchema }: PackageFiles,
  tasks: readonly CatalogueTask[],
  methods: ReturnType<typeof methodsIn>,
): string[] {
  const warnings: string[] = [];
  const say = (what: string, names: readonly string[]) => {
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
    if (names.length > 0) warnings.push(`${what}: ${names.slice(0, SHOWN).join(', ')}${more}`);
  };
  if (!isObject(propertiesSchema))
    warnings.push('propertiesSchema.json is missing: connections are not checked');
  if (sources.length === 0)
    warnings.push('the file that exports the class is missing: the package will not load');
  else
    say(
      'methods that the source does not define',
      tasks.filter(({ name }) => !methods.has(name)).map(({ name }) => name),
    );
  const differing = tasks.filter(({ name, inputs }) => {
    const parameters = methods.get(name)?.parameters.slice(0, -1);
    return parameters && parameters.length !== inputs.length;
  });
  say(
    'methods whose arguments are not those of pronghorn.json',
    differing.map(({ name }) => name),
  );
  return warnings;
}
