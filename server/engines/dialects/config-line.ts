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
};

/** What a reader could not make sense of: the line stays, flat, and is told by its number (from 1). */
export type ParseWarning = { line: number; reason: string };

/** A configuration as a tree: its lines at the top, each with those below it. */
export type ParsedConfig = { lines: ConfigLine[]; warnings: ParseWarning[] };
