import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';

/*
 * Rules that config parsers share. A parser tries its rules in order at each position of the text; the first that
 * matches wins, and blanks that match no rule separate words. Only braces open and close blocks by rules; nesting by
 * indentation, or by words such as `config` and `end`, is handled by the reader of the platform.
 */

const END_LINE: LexRule = ['\\r?\\n', 'end_line'];
export const WORD: LexRule = ['\\S+', 'word'];

/** A text in double quotes is one word, including blanks; with `(?s)`, also across lines. */
export const QUOTED: LexRule = ['"(?:[^"\\\\\\r\\n]|\\\\.)*"', 'word'];
export const QUOTED_LINES: LexRule = ['(?s)"(?:[^"\\\\]|\\\\.)*"', 'word'];

/** A comment on a line of its own, possibly indented. */
export const wholeLine = (mark: string): LexRule => [`(?m)^[ \\t]*${mark}[^\\r\\n]*`, 'comment'];

/** A comment from its mark to the end of the line, at any word boundary. */
export const toLineEnd = (mark: string): LexRule => [`${mark}[^\\r\\n]*`, 'comment'];
export const BLOCK_COMMENT: LexRule = ['(?s)/\\*.*?\\*/', 'comment'];
/** A line that continues in the next one. */
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

/** Statements in braces that end with a semicolon or at the end of the line; `set` lines are statements without braces. */
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

/** Statements in braces that end at the end of the line. */
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
