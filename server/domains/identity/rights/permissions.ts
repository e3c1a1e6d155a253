import type { Role } from '#db/schemas/identity/account.ts';
import type { Method } from '#db/schemas/identity/method.ts';
import type { View } from '#db/schemas/identity/view.ts';
import type { Issue } from '#server/kernel/errors.ts';
import type { Endpoint } from '#server/kernel/platform.ts';
import {
  type Caller,
  type HeldRole,
  isSeeded,
  mayCall,
  permissionOfMethod,
} from '#server/kernel/principal.ts';
import type { Audience } from '#server/kernel/roles.ts';

type Catalogue = readonly Endpoint[];

/** The areas of contract/endpoints#areas: each is a view, whether or not its endpoints are in the catalogue. */
const AREAS = [
  'orchestrator_manager',
  'configuration_manager',
  'automation-studio',
  'prebuilts',
  'mop',
  'automationgateway',
  'operations-manager',
  'workflow_builder',
  'authorization',
  'applications',
  'profiles',
  'health',
];

/** Returns every REST endpoint as a permission that custom roles can grant. */
export const methodsOf = (catalogue: Catalogue): Method[] =>
  catalogue.map(({ permission, method, path }) => ({
    ...partsOf(permission),
    deprecated: false,
    route: { verb: method.toLowerCase(), path: path.replace(/^\/[^/]+/, '') || '/', fullPath: path },
  }));

/** Returns the parts of a permission: `ConfigurationManager.getTree` is getTree of ConfigurationManager. */
export function partsOf(permission: string): { provenance: string; name: string } {
  const [provenance = '', name = ''] = permission.split('.');
  return { provenance, name };
}

/** Returns the audience of each permission. */
export const audiencesOf = (catalogue: Catalogue): ReadonlyMap<string, Audience> =>
  new Map(catalogue.map(({ permission, audience }) => [permission, audience]));

/**
 * Returns the views that roles can open, by path: one per area of the interface, and one per area of the catalogue.
 * Endpoints that are open to every user need no view.
 */
export const viewsOf = (catalogue: Catalogue): View[] =>
  [...new Set([...AREAS, ...areasOf(catalogue.filter(({ audience }) => typeof audience !== 'string'))])]
    .sort()
    .map(viewOf);

/** Returns the views of the areas in which a built-in role may call an endpoint. */
export const viewsOfRole = (catalogue: Catalogue, role: string): View[] =>
  areasOf(
    catalogue.filter(({ audience }) => typeof audience !== 'string' && audience.some((one) => one === role)),
  )
    .sort()
    .map(viewOf);

type Grants = Pick<Role, 'allowedMethods' | 'allowedViews'>;

/**
 * Returns the grants of a role as they are stored: each permission and each view once, and only existing ones.
 *
 * @param path path of the lists in the request
 * @param provided permissions for provided methods, of which there may be too many to list them all
 * @returns the lists of the request, and an issue for every unknown item
 */
export function readGrants(
  { allowedMethods, allowedViews }: Grants,
  catalogue: Catalogue,
  path: string[],
  provided: ReadonlySet<string> = new Set(),
): Grants & { issues: Issue[] } {
  const issues: Issue[] = [];
  const permissions = new Set(catalogue.map(({ permission }) => permission));
  const methods = new Map<string, { name: string; provenance: string }>();
  for (const [at, { provenance = '', name }] of (allowedMethods ?? []).entries()) {
    const permission = permissionOfMethod({ provenance, name });
    if (permissions.has(permission) || provided.has(permission))
      methods.set(permission, { name, provenance });
    else issues.push(unknown([...path, 'allowedMethods', at], `permission ${provenance}.${name}`));
  }
  const known = new Map(viewsOf(catalogue).map((view) => [view.path, view]));
  const views = new Map<string, View>();
  for (const [at, { path: wanted, provenance }] of (allowedViews ?? []).entries()) {
    const view = known.get(wanted);
    if (view && (provenance ?? view.provenance) === view.provenance) views.set(wanted, view);
    else issues.push(unknown([...path, 'allowedViews', at], `view ${wanted}`));
  }
  return {
    ...(allowedMethods && { allowedMethods: [...methods.values()] }),
    ...(allowedViews && { allowedViews: [...views.values()] }),
    issues,
  };
}

const unknown = (path: (string | number)[], what: string): Issue => ({
  path,
  message: `${what.slice(0, 200)} does not exist`,
  code: 'unknown_reference',
});

/**
 * Returns the rights of a caller for `whoami`: permissions by area, and paths of views.
 *
 * @param held the caller's roles; custom ones open the views that they list
 */
export function allowedOf(
  caller: Pick<Caller, 'roles' | 'permissions'>,
  held: readonly HeldRole[],
  catalogue: Catalogue,
) {
  const methods: Record<string, string[]> = {};
  for (const { permission, audience } of catalogue) {
    if (!mayCall(caller, audience, permission)) continue;
    const { provenance, name } = partsOf(permission);
    methods[provenance] ??= [];
    methods[provenance].push(name);
  }
  const known = new Set(viewsOf(catalogue).map(({ path }) => path));
  const opened = held.filter((role) => !isSeeded(role)).flatMap((role) => role.allowedViews ?? []);
  const routes = new Set([
    ...caller.roles.flatMap((role) => viewsOfRole(catalogue, role)).map(({ path }) => path),
    ...opened.map(({ path }) => path).filter((path) => known.has(path)),
  ]);
  return { methods, routes: [...routes].sort() };
}

const areasOf = (catalogue: Catalogue): string[] => [
  ...new Set(catalogue.map(({ path }) => path.split('/')[1] ?? '')),
];

/** `operations-manager` has the provenance OperationsManager. */
const viewOf = (area: string): View => ({
  path: `/${area}/`,
  provenance: area.replace(/(^|[-_])([a-z])/g, (_, __, letter: string) => letter.toUpperCase()),
});
