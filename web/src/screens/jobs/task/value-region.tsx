import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { trpc } from '~/api/client.ts';
import { Button } from '~/ui/button.tsx';
import { JsonView } from '~/ui/code/json-view.tsx';
import { copyText } from '~/ui/copy-button.tsx';
import { ActionMenu } from '~/ui/overlays/menu.tsx';
import { QueryView } from '~/ui/states.tsx';

type Large = { path: string; id: string; size: number };

/** Most paths that the menu offers, and how deep values are searched for them. */
const PATHS = 60;
const DEPTH = 4;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Returns the path of each member down to a few levels, and the values that are stored separately. */
function placesIn(value: unknown, path: string): { paths: string[]; large: Large[] } {
  const paths: string[] = [path];
  const large: Large[] = [];
  const visit = (one: unknown, at: string, depth: number) => {
    if (!isObject(one)) return;
    if (typeof one.$largeData === 'string') {
      large.push({ path: at, id: one.$largeData, size: Number(one.size ?? 0) });
      return;
    }
    if (depth === 0) return;
    for (const [name, member] of Object.entries(one)) {
      const below = Array.isArray(one)
        ? `${at}[${name}]`
        : /^[A-Za-z_]\w*$/.test(name)
          ? `${at}.${name}`
          : `${at}[${JSON.stringify(name)}]`;
      if (paths.length < PATHS) paths.push(below);
      visit(member, below, depth - 1);
    }
  };
  visit(value, path, DEPTH);
  return { paths, large };
}

type ValueRegionProps = {
  label: string;
  /** The path of the value within its job. */
  path: string;
  value: unknown;
};

/** A value of a task: searchable, with the paths of its members to copy; what is stored separately is opened on request. */
export function ValueRegion({ label, path, value }: ValueRegionProps) {
  const { paths, large } = useMemo(() => placesIn(value, path), [value, path]);
  return (
    <div className="column">
      <div className="row">
        <h3>{label}</h3>
        <ActionMenu
          label={`Copy path in ${label.toLowerCase()}`}
          actions={paths.map((one) => ({ label: one, onAction: () => void copyText(one, one) }))}
        />
      </div>
      {large.map((one) => (
        <LargeValue key={one.id} {...one} />
      ))}
      <JsonView label={label} value={value} fileName={`${label.toLowerCase()}.json`} />
    </div>
  );
}

const megabytes = (size: number) => `${(size / 1024 / 1024).toFixed(1)} MiB`;

function LargeValue({ path, id, size }: Large) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({
    ...trpc.operationsManager.getLargeData.queryOptions({ id }, { staleTime: 'static' }),
    // A value of many megabytes is compared with nothing, and let go soon after it is closed.
    structuralSharing: false,
    gcTime: 30_000,
    enabled: isOpen,
  });
  return (
    <div className="column">
      <div className="row">
        <code>{path}</code>
        <span className="muted small">{megabytes(size)}, stored separately</span>
        <Button onPress={() => setOpen(!isOpen)}>{isOpen ? 'Close value' : 'Open value'}</Button>
      </div>
      {isOpen && (
        <QueryView query={query} loading="Loading the value">
          {(value) => <JsonView label="Stored value" value={value} fileName={`${id}.json`} />}
        </QueryView>
      )}
    </div>
  );
}
