import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { AS_TYPED } from '~/ui/fields.tsx';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { pixels } from '../pixels.ts';
import { saveFile } from '../table/csv.ts';
import { visibleText } from '../visible-text.ts';
import { linesWith, searchableOf } from './lines-with.ts';

type TextViewProps = {
  /** The accessible name. */
  label: string;
  text: string;
  /** Name of the file when it is saved. */
  fileName?: string;
  /** True: opens at its end, for output that grows. */
  isTail?: boolean;
};

/** The height of a line in pixels, as table.css has it. */
const lineHeight = () => pixels(1.25);
/** Maximum number of characters of a line that are rendered; the saved file has the whole line. */
const LINE_LENGTH = 5000;

/** Longest text, in lines and characters, that is shown as a whole in as many rows as it needs. */
const SHORT = { lines: 3, length: 1000 };

/** A text of a device or task: a short one as a whole, such as an error; of a longer text only the visible lines are in the document, and a search finds every line. */
export function TextView({ label, text, fileName, isTail = false }: TextViewProps) {
  const frame = useRef<HTMLElement>(null);
  const lines = useMemo(() => text.split('\n'), [text]);
  const [sought, setSought] = useState('');
  const searched = useDeferredValue(sought.toLowerCase());
  const isSearched = searched !== '';
  const searchable = useMemo(
    () => (isSearched ? searchableOf(text, lines) : undefined),
    [text, lines, isSearched],
  );
  const hits = useMemo(() => (searchable ? linesWith(searchable, searched) : []), [searchable, searched]);
  const [current, setCurrent] = useState(0);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: lineHeight,
    overscan: 20,
    initialOffset: isTail ? lines.length * lineHeight() : 0,
  });
  // The first hit comes into view as soon as there is one.
  const first = hits[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: a hit that stays the first is not scrolled to again
  useEffect(() => {
    if (first !== undefined) virtual.scrollToIndex(first, { align: 'center' });
  }, [first, searched]);
  const go = (index: number) => {
    const hit = hits[index];
    if (hit === undefined) return;
    setCurrent(index);
    virtual.scrollToIndex(hit, { align: 'center' });
  };
  const copy = (
    <CopyButton text={text} what={label} name={`Copy ${label}`}>
      Copy
    </CopyButton>
  );
  const save = fileName && (
    <Button aria-label={`Save ${label}`} onPress={() => saveFile(fileName, text, 'text/plain')}>
      Save
    </Button>
  );
  if (lines.length <= SHORT.lines && text.length <= SHORT.length)
    return (
      <div className="row">
        <section className="code-frame code-short" aria-label={label}>
          {lines.map(shownLine).join('\n')}
        </section>
        {copy}
        {save}
      </div>
    );
  return (
    <div className="column">
      <div className="row">
        <input
          {...AS_TYPED}
          type="search"
          className="input"
          style={{ maxWidth: '16rem' }}
          aria-label={`Search in ${label}`}
          placeholder="Search"
          value={sought}
          onChange={(event) => {
            setSought(event.target.value);
            setCurrent(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter')
              go((current + (event.shiftKey ? hits.length - 1 : 1)) % Math.max(1, hits.length));
          }}
        />
        {searched && (
          <>
            <span className="small muted" role="status">
              {hits.length === 0 ? 'no line' : `${current + 1} of ${hits.length} lines`}
            </span>
            <Button
              onPress={() => go((current + hits.length - 1) % hits.length)}
              isDisabled={hits.length === 0}
            >
              Previous
            </Button>
            <Button onPress={() => go((current + 1) % hits.length)} isDisabled={hits.length === 0}>
              Next
            </Button>
          </>
        )}
        <span className="small muted">{lines.length.toLocaleString('en')} lines</span>
        {copy}
        {save}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="code-frame" ref={frame} tabIndex={0} aria-label={label}>
        <div className="code-lines" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div key={index} className="code-line" style={{ transform: `translateY(${start}px)` }}>
              <Marked
                text={shownLine(lines[index] ?? '')}
                sought={searched}
                isCurrent={hits[current] === index}
              />
            </div>
          ))}
        </div>
      </section>
    </div>
  );
}

function Marked({ text, sought, isCurrent }: { text: string; sought: string; isCurrent: boolean }) {
  const at = sought === '' ? -1 : text.toLowerCase().indexOf(sought);
  if (at === -1) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark data-current={isCurrent || undefined}>{text.slice(at, at + sought.length)}</mark>
      {text.slice(at + sought.length)}
    </>
  );
}

const shownLine = (line: string) =>
  visibleText(line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)} … ${line.length} characters` : line);
