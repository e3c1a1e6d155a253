import { useMemo } from 'react';
import { TextView } from './text-view.tsx';

/** A value as indented JSON; a text stays as it is. */
export function JsonView({ label, value, fileName }: { label: string; value: unknown; fileName?: string }) {
  const text = useMemo(
    () => (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? 'undefined')),
    [value],
  );
  return <TextView label={label} text={text} {...(fileName && { fileName })} />;
}
