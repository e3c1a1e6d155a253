import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { pixels } from '~/ui/pixels.ts';
import { toneOf } from '../grade.tsx';
import type { Issue } from './locate.ts';

/** The height of a line in pixels, as compliance.css has it. */
const lineHeight = () => pixels(1.5);
const LINE_LENGTH = 2000;

type ConfigViewProps = {
  label: string;
  text: string;
  issues: readonly Issue[];
  /** The line of each issue, from 1. */
  lines: readonly (number | undefined)[];
  chosen: number | undefined;
  onChoose: (issue: number) => void;
};

/** A configuration with its violated rules: a marked line is a button that leads to its issue. */
export function ConfigView({ label, text, issues, lines, chosen, onChoose }: ConfigViewProps) {
  const frame = useRef<HTMLElement>(null);
  const rows = useMemo(() => text.split('\n'), [text]);
  const marks = useMemo(() => {
    const found = new Map<number, number[]>();
    for (const [index, line] of lines.entries()) {
      if (line !== undefined) found.set(line, [...(found.get(line) ?? []), index]);
    }
    return found;
  }, [lines]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: lineHeight,
    overscan: 20,
  });
  const line = chosen === undefined ? undefined : lines[chosen];
  useEffect(() => {
    if (line !== undefined) virtual.scrollToIndex(line - 1, { align: 'center' });
  }, [line, virtual.scrollToIndex]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="code-frame config" ref={frame} tabIndex={0} aria-label={label}>
      <div className="code-lines" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const [first] = marks.get(index + 1) ?? [];
          const issue = first === undefined ? undefined : issues[first];
          const full = rows[index] ?? '';
          const shown = full.length > LINE_LENGTH ? `${full.slice(0, LINE_LENGTH)} …` : full;
          return (
            <div
              key={index}
              className="config-line"
              data-tone={issue && toneOf(issue.severity)}
              data-chosen={line === index + 1 || undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className="config-number">{index + 1}</span>
              {issue && first !== undefined ? (
                <button type="button" onClick={() => onChoose(first)}>
                  <span className="visually-hidden">
                    {`Line ${index + 1}, ${issue.severity}: ${issue.message}: `}
                  </span>
                  {shown || ' '}
                </button>
              ) : (
                <span>{shown}</span>
              )}
            </div>
          );
        })}
      </div>
    </section>
  );
}
