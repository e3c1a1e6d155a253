import type { ReactNode } from 'react';

/** Names and values of an object, in columns where there is room; entries without a value are left out. */
export function Details({ entries }: { entries: [string, ReactNode][] }) {
  return (
    <div className="details-frame">
      <dl className="details">
        {entries
          .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
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
