type Path = readonly (string | number)[];

/** Problems of a document that do not prevent its use. */
export type Warning = { path: Path; message: string };

/** Most warnings of a document. */
const MOST = 100;

/** Collects warnings, of which the first hundred are kept. */
export type Warnings = {
  add: (path: Path, message: string) => void;
  all: () => readonly Warning[];
};

/** Returns an empty list of warnings, which keeps a limited number of them. */
export function openWarnings(): Warnings {
  const kept: Warning[] = [];
  let omitted = 0;
  return {
    add: (path, message) => {
      if (kept.length < MOST - 1) kept.push({ path, message });
      else omitted += 1;
    },
    all: () =>
      omitted === 0 ? kept : [...kept, { path: [], message: `${omitted} more warnings are not shown` }],
  };
}
