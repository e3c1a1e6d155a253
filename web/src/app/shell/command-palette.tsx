import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { trpc } from '~/api/client.ts';
import { problemOfRead } from '~/api/problem.ts';
import { useMay } from '~/api/use-may.ts';
import { usePreferences } from '~/api/use-preferences.ts';
import { AS_TYPED } from '~/ui/fields.tsx';
import { Dialog } from '~/ui/overlays/dialog.tsx';
import { showProblem } from '~/ui/overlays/toast.tsx';
import { ProblemNote } from '~/ui/states.tsx';
import { nameText } from '~/ui/visible-text.ts';
import { areasFor } from '../areas.ts';
import type { PagePath } from '../paths.ts';
import { useHasTour } from '../tour/tour.tsx';
import { PAGES } from './further-pages.ts';
import { pathOfHit } from './path-of-hit.ts';

type EntryLink = { to: PagePath } | NonNullable<ReturnType<typeof pathOfHit>>;
type Entry = { key: string; label: string; detail: string; link: EntryLink; act?: () => void };

/** The id of an entry in the page; spaces would make it several ids. */
const idOf = ({ key }: Entry) => `palette-${key.replaceAll(/\s/g, '-')}`;

/** Scrolls the list to the chosen entry. */
const showEntry = (entry: HTMLElement | null) => entry?.scrollIntoView({ block: 'nearest' });

/** Finds pages and documents of every kind by name; arrows choose, Enter opens. */
export function CommandPalette({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const may = useMay();
  const navigate = useNavigate();
  const hasTour = useHasTour();
  const [, change] = usePreferences();
  const [text, setText] = useState('');
  // Until an arrow chooses one, the field itself is what screen readers are in, and Enter opens the first.
  const [chosen, setChosen] = useState<number>();
  const searched = useDeferredValue(text.trim());
  const hits = useQuery({
    ...trpc.search.search.queryOptions({ q: searched, limit: 20 }),
    enabled: isOpen && searched.length > 1 && may('search.search'),
  });
  // Without a text the areas alone: a short list to choose from.
  const pages = (searched ? [...areasFor(may), ...PAGES] : areasFor(may))
    .filter(({ name, needs }) => may(needs) && name.toLowerCase().includes(text.trim().toLowerCase()))
    .map(
      ({ name, path }): Entry => ({
        key: `${name} ${path}`,
        label: name,
        detail: 'page',
        link: { to: path },
      }),
    );
  const documents = (hits.data?.results ?? []).flatMap((hit): Entry[] => {
    const link = pathOfHit(hit);
    return link ? [{ key: `${hit.kind} ${hit._id}`, label: hit.name, detail: hit.kind, link }] : [];
  });
  const commands: Entry[] = [
    {
      key: 'repeat tour',
      label: 'Repeat the tour',
      detail: 'command',
      link: { to: '/' } as const,
      act: () => void change(() => ({ tour: { done: [], isDismissed: false } })).catch(showProblem),
    },
  ].filter(({ label }) => hasTour && label.toLowerCase().includes(text.trim().toLowerCase()));
  const entries = [...pages, ...commands, ...documents];
  const current = entries[Math.min(chosen ?? 0, entries.length - 1)];
  const open = (entry: Entry | undefined) => {
    if (!entry) return;
    setText('');
    entry.act?.();
    onClose();
    void navigate(entry.link);
  };
  return (
    <Dialog title="Command palette" isOpen={isOpen} onClose={onClose}>
      <input
        {...AS_TYPED}
        className="input"
        type="text"
        role="combobox"
        aria-label="Search pages and documents"
        placeholder="Search pages and documents"
        aria-expanded="true"
        aria-controls="palette-entries"
        aria-autocomplete="list"
        aria-activedescendant={current && chosen !== undefined ? idOf(current) : undefined}
        autoFocus
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(undefined);
        }}
        onKeyDown={(event) => {
          // Keys of an input method choose its characters.
          if (event.nativeEvent.isComposing) return;
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step !== undefined && entries.length > 0) {
            event.preventDefault();
            setChosen(((chosen ?? 0) + step + entries.length) % entries.length);
          } else if (event.key === 'Enter') open(current);
        }}
      />
      <div id="palette-entries" className="palette-entries" role="listbox" aria-label="Results">
        {entries.map((entry) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above handles the keyboard
          <div
            key={entry.key}
            id={idOf(entry)}
            ref={entry === current ? showEntry : undefined}
            role="option"
            tabIndex={-1}
            aria-selected={entry === current && chosen !== undefined}
            className="menu-item row"
            data-focused={entry === current || undefined}
            onClick={() => open(entry)}
          >
            <span>{nameText(entry.label)}</span>
            <span className="muted small">{entry.detail}</span>
          </div>
        ))}
      </div>
      <p className="visually-hidden" role="status" aria-label="Found">
        {searched && current && `${entries.length}, the first is ${nameText(entries[0]?.label ?? '')}`}
      </p>
      {hits.error && <ProblemNote problem={problemOfRead(hits.error)} />}
      {searched.length > 1 && entries.length === 0 && hits.isSuccess && (
        <p className="muted" role="status">
          Nothing matches this text.
        </p>
      )}
    </Dialog>
  );
}
