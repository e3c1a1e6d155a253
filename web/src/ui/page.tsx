import type { UseQueryResult } from '@tanstack/react-query';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { useMay } from '~/api/use-may.ts';
import { AREAS } from '~/app/areas.ts';
import { usePageTitle } from './page-title.ts';
import { QueryView } from './states.tsx';

type PageProps = {
  /** The one h1 of the page: the name of the screen or of the object. */
  title: string;
  /** Links to where this page belongs. */
  path?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  children: ReactNode;
};

/** A page: its path, its title with actions, its content. The title is also that of the tab. */
export function Page({ title, path, actions, children }: PageProps) {
  usePageTitle(title);
  return (
    <div className="page">
      {path && (
        <nav className="page-path" aria-label="Path">
          {path}
        </nav>
      )}
      <div className="page-head">
        <h1>{title}</h1>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/**
 * A link to where a page belongs: never the current page, although its address begins in the same way. An account that may not
 * see an area has its name alone.
 */
export const PathLink = createLink(function PathAnchor({
  'aria-current': _current,
  ...anchor
}: ComponentPropsWithRef<'a'>) {
  const may = useMay();
  const area = AREAS.find(({ path }) => anchor.href === `/console${path}`);
  if (area && !may(area.needs)) return <span>{anchor.children}</span>;
  return <a {...anchor} />;
});

type LoadedPageProps<Data> = Omit<PageProps, 'children' | 'title' | 'actions'> & {
  query: UseQueryResult<Data, unknown>;
  /** The title until the object has arrived, usually what the address names. */
  title: string;
  titleOf?: (data: Data) => string;
  actions?: (data: Data) => ReactNode;
  children: (data: Data) => ReactNode;
};

/** The page of one object, in the four states of its query; the title is shown from the start. */
export function LoadedPage<Data>({
  query,
  title,
  titleOf,
  actions,
  children,
  ...page
}: LoadedPageProps<Data>) {
  const { data } = query;
  const shown = data !== undefined && titleOf ? titleOf(data) : title;
  return (
    <Page {...page} title={shown} actions={data !== undefined && actions?.(data)}>
      <QueryView query={query}>{children}</QueryView>
    </Page>
  );
}
