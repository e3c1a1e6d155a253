import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';

/**
 * How lines nest. `indent`: below the nearest preceding line with less indentation. `brace`: between `{` and `}`.
 * `set`: no nesting, each line is a whole path. `keyword`: between opening and closing words. `tags`: between the tags of
 * XML. `flat`: no nesting.
 */
export type Structure = 'indent' | 'brace' | 'set' | 'keyword' | 'tags' | 'flat';

/** Lines that belong to the line before them and are not configuration lines: one block, kept verbatim. */
export type BlockRule = {
  /** The first words of the line; `*` matches any one word. */
  begins: string;
  /**
   * The end of the block. `delimiter`: the text after these words (`^C`, or one character), at its next occurrence on
   * the same line or below. `hex`: the first line that is not hexadecimal; `quit` and `exit` belong to the block.
   * `line`: a line equal to this text. `head`: a line that begins with it. `brace`: before the line that closes the
   * brace opened by the line.
   */
  ends: 'delimiter' | 'hex' | 'brace' | { line: string } | { head: string };
  /** Print `^C` as delimiter, as the device does whatever the delimiter was. */
  caretC?: boolean;
};

/**
 * Sections of devices that indent nothing: what opens one outside all sections or inside another, the word that closes it,
 * and the line that opens the configuration mode, which the last such word leaves.
 */
export type FlushSections = { top: RegExp; inner?: RegExp; closes: string; mode?: string };

/** The configuration language of one kind of device, as data for readers and printers. */
export type Dialect = {
  /** Name of its built-in parser, vendor-system (contract/lifecycle#4.4, contract/decisions#parser-test). */
  name: string;
  /** Names of the parser in other products. */
  aliases: readonly string[];
  structure: Structure;
  /** Prefixes of comments, after any blanks. A trailing blank in a prefix also matches the end of the line. */
  comments: readonly string[];
  /** Prefixes of lines to omit because they change by themselves or are not configuration. */
  volatile: readonly string[];
  blocks: readonly BlockRule[];
  /** Whether a text in double quotes may continue in the next line. */
  multilineQuotes: boolean;
  /** Whether a line that ends with a backslash continues in the next one. */
  continued: boolean;
  /** An unindented line with this text ends all open sections. */
  separator?: string;
  /** Words before a statement that do not change its meaning, such as `protect:`. */
  prefixes?: readonly string[];
  /** Lines that close the section before them: at the section's own indentation, or at that of its lines. */
  closers: readonly string[];
  closersInside?: boolean;
  /** Sections whose lines some devices do not indent. */
  sections?: FlushSections;
  /** First words of lines outside all sections, where each nested section has a closing line. */
  topLevel?: readonly string[];
  /** Prefix of comments that are titles of parts of the text. */
  titles?: string;
  /** Printed indentation per level, in columns. */
  step: number;
  /** Whether a text whose first line ends with `{` uses nesting by braces instead. */
  orBraces?: boolean;
  /** Whether an unquoted value may continue in the next line, up to a `;` or the next `set`. */
  runsOn?: boolean;
  /** End of a leaf statement in a brace dialect, where that is not the end of the line. */
  terminator?: ';';
  /** First words of sections that list values: each ends with a comma, but for the last. */
  commaLists?: readonly string[];
  /** Words that open and close sections of a keyword dialect; `path` opens one that only the next path ends. */
  keywords?: { open: readonly string[]; close: readonly string[]; path?: string };
  /** Prefix that negates a command; a command that begins with it is negated by removing the prefix. */
  negation: string;
  /** Rules of the config parser, as its document shows them; the first that matches at a position of the text wins. */
  lexRules: readonly LexRule[];
  /** Lines that devices omit from their configurations because they are the default in every known release. */
  defaults: readonly string[];
};
