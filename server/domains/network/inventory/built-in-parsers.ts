import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';

/*
 * The grammars that come with the platform, as rules. A parser tries the rules in their order at each place of the
 * text; the first that matches there wins, and blanks that no rule takes separate words. Where lines nest by
 * indentation, or between words such as `config` and `end`, the grammar of the parser's `template` sees to it: rules
 * open and close only what braces do.
 */

const END_LINE: LexRule = ['\\r?\\n', 'end_line'];
const WORD: LexRule = ['\\S+', 'word'];

/** A text in double quotes is one word, blanks and all, over several lines where `.` may be a line's end. */
const QUOTED: LexRule = ['"(?:[^"\\\\\\r\\n]|\\\\.)*"', 'word'];
const QUOTED_LINES: LexRule = ['(?s)"(?:[^"\\\\]|\\\\.)*"', 'word'];

/** A comment that fills its line, behind any indentation. */
const wholeLine = (mark: string): LexRule => [`(?m)^[ \\t]*${mark}[^\\r\\n]*`, 'comment'];

/** A comment from its mark to the end of the line, wherever a word could stand. */
const toLineEnd = (mark: string): LexRule => [`${mark}[^\\r\\n]*`, 'comment'];
const BLOCK_COMMENT: LexRule = ['(?s)/\\*.*?\\*/', 'comment'];
/** A line that goes on in the next one. */
const CONTINUED: LexRule = ['\\\\\\r?\\n[ \\t]*', 'comment'];

const OPEN: LexRule = ['\\{', 'open_statement_block'];
const CLOSE: LexRule = ['\\}', 'close_statement_block'];

/** Lines of words; lines that begin with `mark` are comments. */
const lines = (mark: string, ...words: LexRule[]): LexRule[] => [wholeLine(mark), END_LINE, ...words, WORD];

/** Statements in braces that end with a semicolon or with their line; `set` lines are statements without braces. */
const statements = (...comments: LexRule[]): LexRule[] => [
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
const braced = (...comments: LexRule[]): LexRule[] => [
  ...comments,
  END_LINE,
  OPEN,
  CLOSE,
  QUOTED_LINES,
  ['[^\\s{}"]+', 'word'],
  WORD,
];

const JSON_RULES: LexRule[] = [
  [',', 'end_line'],
  ['[{\\[]', 'open_statement_block'],
  ['[}\\]]', 'close_statement_block'],
  [':', 'comment'],
  QUOTED,
  ['[^\\s{}\\[\\],:"]+', 'word'],
  WORD,
];

const ECHO = wholeLine('echo "');

/**
 * Rules of every built-in parser by its name: those of contract/lifecycle#4.4 first, then further systems, named
 * vendor-system (contract/decisions#parser-test).
 */
export const BUILT_IN_PARSERS: Readonly<Record<string, readonly LexRule[]>> = {
  'cisco-ios': lines('!'),
  'cisco-ios-xr': lines('!'),
  'cisco-nx': lines('!'),
  'cisco-asa': lines('[!:]'),
  'cisco-staros': lines('#', QUOTED),
  'arista-eos': lines('!'),
  'juniper-junos': statements(BLOCK_COMMENT, toLineEnd('#')),
  'f5-bigip': braced(wholeLine('#')),
  'a10-acos': lines('!', QUOTED),
  'alu-sr': [ECHO, ...lines('#', QUOTED)],
  'paloalto-panos': statements(BLOCK_COMMENT, wholeLine('#')),
  json: JSON_RULES,

  'adva-fsp150': [wholeLine('remark(?:[ \\t]|$)'), ...lines('#', QUOTED)],
  'aruba-aoscx': lines('!', QUOTED),
  'checkpoint-gaia': lines('#', QUOTED),
  'ciena-saos': lines('!', QUOTED),
  'ciena-saos10': lines('!', QUOTED),
  'cisco-aireos': lines('!', QUOTED),
  'citrix-netscaler': lines('#', QUOTED),
  'dell-os10': lines('!', QUOTED),
  'extreme-exos': lines('#', QUOTED),
  'extreme-netiron': lines('!', QUOTED),
  'fortinet-fortios': lines('#', QUOTED_LINES),
  'hp-comware': lines('#'),
  'hp-procurve': lines('[;!]', QUOTED_LINES),
  'huawei-vrp': lines('[#!]'),
  linux: lines('#'),
  'mikrotik-routeros': [CONTINUED, ...lines('#', QUOTED)],
  'mrv-optiswitch': lines('!'),
  'nokia-srl': braced(wholeLine('#')),
  'nokia-sros': [ECHO, ...braced(wholeLine('#'))],
  'nvidia-onyx': lines('##', QUOTED_LINES),
  'rad-etx': [CONTINUED, ECHO, ...lines('#', QUOTED)],
  'ruckus-fastiron': lines('!', QUOTED),
  'ubiquiti-airos': lines('#'),
  'vyatta-vyos': braced(BLOCK_COMMENT, wholeLine('//')),
};

/** Whether a name is a built-in parser's: only those can be a template (contract/lifecycle#4.4). */
export const isBuiltIn = (name: string): boolean => Object.hasOwn(BUILT_IN_PARSERS, name);

/** The rules of a built-in parser. */
export const rulesOf = (template: string): LexRule[] =>
  isBuiltIn(template) ? [...(BUILT_IN_PARSERS[template] ?? [])] : [];
