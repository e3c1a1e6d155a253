import type { ReactNode } from 'react';

/** Names and values of an object, in columns where there is room; entries whose value is undefined are left out. */
export function Details({ entries }: { entries: [string, ReactNode][] }) {
  return (
    <div className="details-frame">
      <dl className="details">
        {entries
          .filter(([, value]) => value !== undefined && value !== null && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </div>
  );
}
