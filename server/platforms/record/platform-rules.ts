/**
 * Where a line stands and what it begins with, in one text: patterns of words, from the outermost line to the line
 * itself, separated by ` > `. A line may continue after its pattern. `*` is any word, `#` a number, `a|b` either word; `$`
 * at the end says that the line ends there. `** > ` stands for any lines above, also for none.
 */
export type LinePathText = string;

/** How a section is left. */
export type SectionExit = {
  at: LinePathText;
  text: string;
  /** Nothing inside of it is left by a command of its own, but for what has an exit here. */
  whole?: boolean;
};

/** A list whose entries are tried in their order, so that a change in place lets the wrong packets through meanwhile. */
export type SequenceKind = {
  /** The line that opens it, up to its name. */
  at: LinePathText;
  /** Lines that name it, which take another name in its place without being taken back first: `%` is the name. */
  references: readonly LinePathText[];
};

/** Which commands change a configuration, beyond how its lines nest. */
export type PlatformRules = {
  /**
   * `lines`, the default: lines below the lines that they belong to. `paths`: `set` and `delete` before whole paths. `modelDriven`: whole
   * paths from the root, and `delete` before them. `menus`: `add`, `set` and `remove` below the path of a menu. `none`: what
   * a device takes cannot be told from what it shows.
   */
  form?: 'lines' | 'paths' | 'modelDriven' | 'menus' | 'none';
  /** Whether a line can be removed; true when absent. */
  removes?: boolean;
  /** True: commands do not act one by one but all at once, when they are committed. */
  commits?: boolean;
  /** Lines whose new value takes the place of the old one: those that agree in the words told by the path. */
  replaces?: readonly LinePathText[];
  /** Lines that add to others like them, though `replaces` tells of them. */
  adds?: readonly LinePathText[];
  /** Lines that replace one another whether they are negated or not. */
  replacesNegated?: readonly LinePathText[];
  /**
   * How a line is taken back, where that is not its negation: `{2}` its first two words, `{2-}` those from the
   * second on, `{2-2}` the second, `{}` all of it.
   */
  negates?: readonly (readonly [LinePathText, string])[];
  /** Order of commands below one parent: lighter ones first; what is not here weighs 0. */
  weights?: readonly (readonly [LinePathText, number])[];
  /** Sections that are written anew as a whole, without being taken back before. */
  overwrites?: readonly LinePathText[];
  /** Sections that are taken back before they are written anew. */
  recreates?: readonly LinePathText[];
  /** Sections in which, however deep, equal lines stand for themselves, and whose order counts. */
  duplicates?: readonly LinePathText[];
  /** Sections that cannot be taken back: all that is in them is. */
  emptied?: readonly LinePathText[];
  /** Lines that say nothing when whole configurations are compared. */
  ignores?: readonly LinePathText[];
  /** Lists whose entries get the numbers 10, 20, … that the device gives them, where they show none. */
  numbers?: readonly LinePathText[];
  exits?: readonly SectionExit[];
  /** How any other section is left: below another section, or wherever it stands. */
  exit?: { text: string; everywhere: boolean };
  sequences?: readonly SequenceKind[];
};
