/** One line of a device's configuration, with the lines nested below it. */
export type ConfigLine = {
  /** Its words joined by single spaces; quoted text, and a block of several lines, keep theirs. */
  text: string;
  /** Number of its first line in the source, from 1. */
  line: number;
  /** Blanks before it in the source; braces and sections count as the dialect prints them. */
  indent: number;
  parent: ConfigLine | null;
  children: ConfigLine[];
  /** Its line in the source, without blanks at its end; absent where that is `indent` blanks and the text. */
  raw?: string | undefined;
  /** The line of the source that closes what it opened, such as `exit`, `next` or `}`: no line of its own here. */
  end?: string | undefined;
  /** It is the lines of a block (a banner, a certificate) verbatim, below the line that opens the block. */
  block?: boolean | undefined;
};

/** What a reader could not make sense of: the line stays, flat, and is told by its number (from 1). */
export type ParseWarning = { line: number; reason: string };

/** A configuration as a tree: its lines at the top, each with those below it. */
export type ParsedConfig = {
  lines: ConfigLine[];
  warnings: ParseWarning[];
  /** Its lines nest between braces, though the dialect's nest otherwise too. */
  braces?: boolean | undefined;
};
