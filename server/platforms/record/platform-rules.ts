/**
 * A pattern for a line and its parents: patterns of words, from the outermost line to the line itself, separated by ` >
 * `. A line may continue after its pattern. `*` matches any word, `#` a number, `a|b` either word; `$` at the end
 * requires the line to end there. `** > ` matches any number of parent lines, including none.
 */
export type LinePathText = string;

/** The command that leaves a section. */
export type SectionExit = {
  at: LinePathText;
  text: string;
  /** Sections within it have no exit command, unless `exits` lists one for them. */
  whole?: boolean;
};

/** A list whose entries apply in order, so that changing it in place would temporarily let the wrong packets through. */
export type SequenceKind = {
  /** The line that opens the list, up to its name. */
  at: LinePathText;
  /** Lines that reference the list and accept another name without being negated first; `%` is the name. */
  references: readonly LinePathText[];
};

/** The commands that change a configuration, beyond the nesting of its lines. */
export type PlatformRules = {
  /**
   * `lines`, the default: lines below their parent lines. `paths`: `set` and `delete` before whole paths.
   * `modelDriven`: whole paths from the root, and `delete` before them. `menus`: `add`, `set` and `remove` below the
   * path of a menu. `none`: commands cannot be derived from the configuration.
   */
  form?: 'lines' | 'paths' | 'modelDriven' | 'menus' | 'none';
  /** Whether lines can be removed; true when absent. */
  removes?: boolean;
  /** True: commands take effect together when they are committed, not one by one. */
  commits?: boolean;
  /** Lines whose new value replaces the previous one: lines that agree in the words of the path. */
  replaces?: readonly LinePathText[];
  /** Exceptions to `replaces`: lines that are added to similar ones. */
  adds?: readonly LinePathText[];
  /** Lines that replace one another whether or not they are negated. */
  replacesNegated?: readonly LinePathText[];
  /**
   * The negation of lines that do not use the default one: `{2}` is the first two words of the line, `{2-}` those from
   * the second on, `{2-2}` the second, `{}` all of it.
   */
  negates?: readonly (readonly [LinePathText, string])[];
  /** Order of commands below one parent: lower weights first; commands not listed weigh 0. */
  weights?: readonly (readonly [LinePathText, number])[];
  /** Sections that are written again as a whole, without being negated first. */
  overwrites?: readonly LinePathText[];
  /** Sections that are negated before they are written again. */
  recreates?: readonly LinePathText[];
  /** Sections in which, at any depth, equal lines are separate entries whose order matters. */
  duplicates?: readonly LinePathText[];
  /** Sections that cannot be negated: all their lines are negated instead. */
  emptied?: readonly LinePathText[];
  /** Lines to ignore when whole configurations are compared. */
  ignores?: readonly LinePathText[];
  /** Lists whose entries without a number get 10, 20, …, as the device numbers them. */
  numbers?: readonly LinePathText[];
  exits?: readonly SectionExit[];
  /** The command that leaves all other sections: only below another section, or `everywhere`. */
  exit?: { text: string; everywhere: boolean };
  sequences?: readonly SequenceKind[];
  /** Whether a banner ends at one character: `^C`, which configurations store, would be read as `^` and a letter. */
  characterDelimits?: boolean;
};
