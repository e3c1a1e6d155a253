import { useState } from 'react';
import { Checkbox } from '../fields.tsx';
import { isReading, isUnread, type Reads, Unread } from './unread.tsx';

type CheckListProps = {
  label: string;
  items: readonly { id: string; name: string }[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: Set<string>) => void;
  /** What the choices are read from: the list says when that fails. */
  from?: Reads;
};

/** Some of many choices; a longer list can be searched. */
export function CheckList({ label, items, chosen, onChange, from }: CheckListProps) {
  const [sought, setSought] = useState('');
  const shown = items.filter(({ name }) => name.toLowerCase().includes(sought.toLowerCase()));
  return (
    <fieldset className="check-list">
      <legend className="field-label">
        {label} {chosen.size > 0 && `(${chosen.size})`}
      </legend>
      {items.length > 12 && (
        <input
          type="search"
          className="input"
          aria-label={`Search in ${label.toLowerCase()}`}
          placeholder="Search"
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
      )}
      <div className="check-list-items">
        {shown.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            isChecked={chosen.has(id)}
            onChange={(isChosen) => {
              const next = new Set(chosen);
              if (isChosen) next.add(id);
              else next.delete(id);
              onChange(next);
            }}
          />
        ))}
        {items.length === 0 && !isUnread(from) && (
          <span className="muted">{isReading(from) ? 'Loading …' : 'none'}</span>
        )}
      </div>
      <Unread what={label} from={from} />
    </fieldset>
  );
}
