import { splitText } from '../../text/text-search.ts';
import { show, spendText, textOf } from '../run.ts';
import { type Filter, numberArgument, textArgument } from './filter.ts';
import { WRITTEN_FILTERS } from './filters-writing.ts';
import { capitalised, trimmed } from './text.ts';

/** Makes a filter from a function that maps a string to a string. */
const changed =
  (change: (text: string) => string): Filter =>
  (value, { run, at }) => {
    const text = textOf(run, value, at);
    spendText(run, text.length, at);
    return change(text);
  };

/** Removes the given characters, or blanks when none are given, from both ends. */
const trim: Filter = (value, given) => {
  const text = textOf(given.run, value, given.at);
  spendText(given.run, text.length, given.at);
  const chars = given.argument(0, 'chars') ?? null;
  return trimmed(text, chars === null || chars === '' ? null : textOf(given.run, chars, given.at), 'both');
};

const replace: Filter = (value, given) => {
  const text = textOf(given.run, value, given.at);
  const old = textArgument(given, 0, 'old', '');
  const pieces = splitText(text, old);
  const fresh = textArgument(given, 1, 'new', '');
  const most =
    given.argument(2, 'count') === null ? pieces.length : numberArgument(given, 2, 'count', pieces.length);
  const times = Math.min(pieces.length - 1, Math.max(0, Math.trunc(most)));
  spendText(given.run, text.length + times * fresh.length, given.at);
  return (
    pieces.slice(0, times + 1).join(fresh) +
    pieces
      .slice(times + 1)
      .map((piece) => old + piece)
      .join('')
  );
};

const split: Filter = (value, given) => {
  const text = textOf(given.run, value, given.at);
  spendText(given.run, text.length, given.at);
  const by = given.argument(0, 'sep');
  const pieces =
    by === undefined || by === null
      ? text.split(/\s+/).filter(Boolean)
      : splitText(text, show(given.run, by, given.at));
  spendText(given.run, pieces.length, given.at);
  return pieces;
};

/** Indents every line but the first and the empty ones. */
const indent: Filter = (value, given) => {
  const text = textOf(given.run, value, given.at);
  const width = given.argument(0, 'width');
  const blanks =
    typeof width === 'string'
      ? width
      : ' '.repeat(Math.min(Math.max(numberArgument(given, 0, 'width', 4), 0), 100));
  const first = given.argument(1, 'first') === true;
  const blank = given.argument(2, 'blank') === true;
  const lines = text.split('\n');
  spendText(given.run, text.length + lines.length * blanks.length, given.at);
  return lines
    .map((line, at) => ((at === 0 ? first : line !== '' || blank) ? blanks + line : line))
    .join('\n');
};

/** The filters for strings, by name. */
export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  upper: changed((text) => text.toUpperCase()),
  lower: changed((text) => text.toLowerCase()),
  title: changed((text) => text.replace(/[^\s\-([{<]+/g, capitalised)),
  capitalize: changed(capitalised),
  trim,
  replace,
  split,
  indent,
  string: (value, { run, at }) => show(run, value, at),
  ...WRITTEN_FILTERS,
};
