import { createRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { loadCode } from '~/ui/load-code.ts';
import { NoSuchPage } from './no-such-page.tsx';
import { Shell } from './shell/shell.tsx';

/** The root of all pages: the shell, which each of them is shown in. */
export const root = createRootRoute({
  component: Shell,
  notFoundComponent: NoSuchPage,
  // A sign-in that failed at a provider says so at any address.
  validateSearch: (given: Record<string, unknown>): Texts<'signInError' | 'provider'> =>
    textsOf(given, ['signInError', 'provider']),
});

/** Texts of the query of an address, by the names of its parameters. */
type Texts<Name extends string> = { [Key in Name]?: string | undefined };

type PageOptions<Path extends string, Name extends string> = {
  /** The path below `/console`. */
  path: Path;
  /** The parameters of the address that the page reads: a link that sets another one is a type error. */
  search: readonly Name[];
  /** Loads the code of the page when it is first opened. */
  load: () => Promise<ComponentType>;
};

/**
 * Returns the route of a page.
 *
 * The type carries the path and the names of its parameters, which are what links, redirects and `useUrlState` are checked against.
 */
export function page<const Path extends string, const Name extends string = never>({
  path,
  search,
  load,
}: PageOptions<Path, Name>) {
  return createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: (given: Record<string, unknown>) => textsOf(given, search),
    component: lazyRouteComponent(async () => ({ default: await loadCode(load) })),
  });
}

/** Returns those parameters of a query that have one of the names. */
function textsOf<Name extends string>(given: Record<string, unknown>, names: readonly Name[]): Texts<Name> {
  const texts: Texts<Name> = {};
  for (const name of names) {
    const text = given[name];
    if (typeof text === 'string') texts[name] = text;
  }
  return texts;
}
