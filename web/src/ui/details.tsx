import { Fragment, type ReactNode } from 'react';

/** Names and values of an object; entries whose value is undefined are left out. */
export function Details({ entries }: { entries: [string, ReactNode][] }) {
  return (
    <dl className="details">
      {entries
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
