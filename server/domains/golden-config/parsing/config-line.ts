/** One line of a device's configuration, with the lines nested below it. */
export type ConfigLine = {
  /** The words joined by single spaces; quoted text and multi-line blocks keep their blanks. */
  text: string;
  /** Number of its first line in the source, from 1. */
  line: number;
  /** Columns of leading blanks in the source; 0 in JSON and in blocks. */
  indent: number;
  parent: ConfigLine | null;
  children: ConfigLine[];
  /** The source line that closes the section opened here, such as `exit`, `next` or `}`; it has no line of its own. */
  end?: string | undefined;
  /** True for the verbatim text of a block (a banner, a certificate), the child of the line that opens it. */
  block?: boolean | undefined;
};

/** A problem found while parsing: its line number (from 1) and reason. The line stays in the tree, flat. */
export type ParseWarning = { line: number; reason: string };

/** A configuration as a tree: its top-level lines, each with its children. */
export type ParsedConfig = {
  lines: ConfigLine[];
  warnings: ParseWarning[];
  /** True when the lines nest by braces, even in a dialect that usually nests otherwise. */
  braces?: boolean | undefined;
};
