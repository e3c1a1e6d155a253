import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';

/*
 * What the rules of config parsers have in common. A parser tries its rules in their order at each place of the text; the first
 * that matches there wins, and blanks that no rule takes separate words. Where lines nest by indentation, or between words
 * such as `config` and `end`, the reader of the platform sees to it: rules open and close only what braces do.
 */

const END_LINE: LexRule = ['\\r?\\n', 'end_line'];
export const WORD: LexRule = ['\\S+', 'word'];

/** A text in double quotes is one word, blanks and all, over several lines where `.` may be a line's end. */
export const QUOTED: LexRule = ['"(?:[^"\\\\\\r\\n]|\\\\.)*"', 'word'];
export const QUOTED_LINES: LexRule = ['(?s)"(?:[^"\\\\]|\\\\.)*"', 'word'];

/** A comment that fills its line, behind any indentation. */
export const wholeLine = (mark: string): LexRule => [`(?m)^[ \\t]*${mark}[^\\r\\n]*`, 'comment'];

/** A comment from its mark to the end of the line, wherever a word could stand. */
export const toLineEnd = (mark: string): LexRule => [`${mark}[^\\r\\n]*`, 'comment'];
export const BLOCK_COMMENT: LexRule = ['(?s)/\\*.*?\\*/', 'comment'];
/** A line that goes on in the next one. */
export const CONTINUED: LexRule = ['\\\\\\r?\\n[ \\t]*', 'comment'];

const OPEN: LexRule = ['\\{', 'open_statement_block'];
const CLOSE: LexRule = ['\\}', 'close_statement_block'];

/** Lines of words; lines that begin with `mark` are comments. */
export const lines = (mark: string, ...words: LexRule[]): LexRule[] => [
  wholeLine(mark),
  END_LINE,
  ...words,
  WORD,
];

/** Statements in braces that end with a semicolon or with their line; `set` lines are statements without braces. */
export const statements = (...comments: LexRule[]): LexRule[] => [
  ...comments,
  [';', 'end_line'],
  END_LINE,
  OPEN,
  CLOSE,
  QUOTED_LINES,
  ['[^\\s;{}"]+', 'word'],
  WORD,
];

/** Statements in braces that end with their line. */
export const braced = (...comments: LexRule[]): LexRule[] => [
  ...comments,
  END_LINE,
  OPEN,
  CLOSE,
  QUOTED_LINES,
  ['[^\\s{}"]+', 'word'],
  WORD,
];

export const ECHO = wholeLine('echo "');
