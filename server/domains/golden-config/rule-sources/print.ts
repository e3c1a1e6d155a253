import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import { literalExpression } from '#server/kernel/text/literal-expression.ts';
import type { ConfigLine } from '../parsing/config-line.ts';
import type { Dialect } from '../parsing/dialect.ts';
import { printConfig } from '../parsing/print.ts';
import { CLOSE, MARKS, type Marks, OPEN } from '../rules/marks.ts';

/**
 * Prints a template that derives to these lines again, as far as the template language can express them: fixMode and
 * membership are lost, and variables are printed as outputs (contract/lifecycle#translate).
 */
export function printTemplate(lines: readonly Line[], dialect: Dialect): string {
  const printed: Line[] = [];
  const roots: ConfigLine[] = [];
  const open: { line: Line; parent: ConfigLine | null }[] = lines
    .toReversed()
    .map((line) => ({ line, parent: null }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { line, parent } = next;
    const block = parent !== null && isBlock(line, parent, dialect);
    const number = printed.push(line) - 1;
    const words = line.words.map(({ value }) => value).join(' ');
    const node: ConfigLine = {
      text: block ? withoutMarks(words) : `${shaped(line)} ${OPEN}${number}${CLOSE}`,
      line: number + 1,
      indent: 0,
      parent,
      children: [],
      block,
      // A JSON line without text is an object or list, also where it is empty.
      ...(dialect.name === 'json' && words === '' && { end: '}' }),
    };
    (parent?.children ?? roots).push(node);
    for (const child of (line.lines ?? []).toReversed()) open.push({ line: child, parent: node });
  }
  const text = printConfig({ lines: roots, warnings: [], braces: dialect.structure === 'brace' }, dialect);
  return text
    .split('\n')
    .map((line) => lineOf(line, printed))
    .join('\n');
}

/** Returns whether a line is the verbatim text of a block that the line above it opens. */
function isBlock({ words, lines }: Line, parent: ConfigLine, { blocks }: Dialect): boolean {
  const [only] = words;
  if (words.length !== 1 || only?.type !== 'literal' || (lines?.length ?? 0) > 0) return false;
  const above = parent.text.split(' ');
  return blocks.some(({ begins }) =>
    begins.split(' ').every((word, at) => (word === '*' ? above[at] !== undefined : above[at] === word)),
  );
}

/**
 * Returns a line's words for the printer: expressions and variables as one word without special characters, and of a value
 * of several lines the first.
 */
const shaped = ({ words }: Line): string =>
  words
    .map(({ type, value }) => (type === 'literal' ? value.split('\n', 1)[0] : `${OPEN}${type}${CLOSE}`))
    .join(' ');

/** Without a blank before it where a line has no words, such as an object in a JSON list. */
const PLACE = new RegExp(` ?${OPEN}(\\d+)${CLOSE}`);

/** Replaces the placeholder of a printed line by its marks and words. */
function lineOf(text: string, printed: readonly Line[]): string {
  const found = PLACE.exec(text);
  const line = printed[Number(found?.[1])];
  if (!found || !line) return text;
  const indent = text.length - text.trimStart().length;
  const behind = text.slice(found.index + found[0].length);
  return `${text.slice(0, indent)}${marksOf(line)}${wordsOf(line)}${behind}`;
}

/** Returns the marks of a line; default settings need none. */
function marksOf({ evalMode, severity, ordering }: Line): string {
  const said: Marks = { evalMode, severity, ordering };
  const marks = Object.entries(MARKS).filter(([mark, means]) => {
    return (
      mark !== '<w/>' && Object.entries(means).every(([name, value]) => said[name as keyof Marks] === value)
    );
  });
  return marks.map(([mark]) => mark).join('');
}

const wordsOf = ({ words }: Line): string =>
  words
    .map(({ type, value }, at) => {
      if (type === 'variable') return `{{ ${value} }}`;
      if (type === 'regex') return withoutMarks(`{/${value.replaceAll('/}', '\\x2f}')}/}`);
      // Text that would be read as a mark becomes an expression for exactly that text.
      const marked = value.includes('{/') || (at === 0 && STARTS_WITH_MARK.test(value));
      return withoutMarks(marked ? `{/${literalExpression(value).replaceAll('/}', '\\x2f}')}/}` : value);
    })
    .join(' ');

const STARTS_WITH_MARK = new RegExp(
  `^(?:${Object.keys(MARKS)
    .map((mark) => literalExpression(mark))
    .join('|')})`,
);

/** Escapes a text so that Jinja finds no delimiters in it. */
const withoutMarks = (text: string): string => text.replace(/\{(?=[{%#])/g, "{{ '{' }}");
