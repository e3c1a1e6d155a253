import type { LexRule } from '#db/schemas/golden-config/config-parser.ts';

/**
 * How lines nest. `indent`: below the nearest line before that stands further left. `brace`: between `{` and `}`.
 * `set`: not at all, each line is a whole path. `keyword`: between words that open and close. `flat`: not at all.
 */
export type Structure = 'indent' | 'brace' | 'set' | 'keyword' | 'flat';

/** Lines that belong to the line before them and are no lines of the configuration: one block, kept verbatim. */
export type BlockRule = {
  /** The words that the line begins with; `*` stands for any one word. */
  begins: string;
  /**
   * What ends the block. `delimiter`: what stands behind the words (`^C`, or one character), where it comes again, on
   * the same line or below. `hex`: the first line that is not hexadecimal; `quit` and `exit` belong to the block.
   * `line`: a line that is this text. `head`: a line that begins with it. `brace`: before the line where
   * the brace that the line opens is closed.
   */
  ends: 'delimiter' | 'hex' | 'brace' | { line: string } | { head: string };
  /** The device shows `^C` whatever the delimiter was: so do we. */
  caretC?: boolean;
};

/** The command line of one kind of device, as data: all that readers and printers know of it. */
export type Dialect = {
  /** Name of its built-in parser, vendor-system (contract/lifecycle#4.4, contract/decisions#parser-test). */
  name: string;
  /** Names that other products have for it. */
  aliases: readonly string[];
  structure: Structure;
  /** What a comment begins with, behind any blanks. A blank at its end may be the end of the line. */
  comments: readonly string[];
  /** What lines begin with that change by themselves, or are no configuration: they are left out. */
  volatile: readonly string[];
  blocks: readonly BlockRule[];
  /** Whether a text in double quotes may go on in the next line. */
  multilineQuotes: boolean;
  /** Whether a line that ends with a backslash goes on in the next one. */
  continued: boolean;
  /** A line that is this, at the very left, ends every section before it. */
  separator?: string;
  /** Words that stand before a statement and say nothing about its meaning, such as `protect:`. */
  prefixes?: readonly string[];
  /** Lines that close the section before them: at the section's own indentation, or at that of its lines. */
  closers: readonly string[];
  closersInside?: boolean;
  /** First words of lines outside all sections, where each section below another one has a closing line. */
  topLevel?: readonly string[];
  /** What a comment begins with that titles a part of the text. */
  titles?: string;
  /** Columns that a level takes in print. */
  step: number;
  /** Whether a text whose first line ends with `{` nests between braces instead. */
  orBraces?: boolean;
  /** Whether a value without quotes may go on in the next line: up to a `;`, or up to the next `set`. */
  runsOn?: boolean;
  /** What a leaf of a brace dialect ends with, where that is not its line. */
  terminator?: ';';
  /** Words that open and close sections of a keyword dialect; `path` opens one that only the next path ends. */
  keywords?: { open: readonly string[]; close: readonly string[]; path?: string };
  /** What stands before a command to take it back; a command that begins with it is taken back by the rest. */
  negation: string;
  /** Rules of the config parser, as its document shows them: the first that matches at a place of the text wins. */
  lexRules: readonly LexRule[];
  /** Lines that devices leave out of their configurations because they are the default, in every known release. */
  defaults: readonly string[];
};
