/** One recorded case of a peer: what it was given and what it made of it. */
export type Case = {
  /** `remediation` where the file names none. */
  kind: string;
  /** Its name in the peer's suite, or its place in the file. */
  name: string;
  /** The operating system as the peer calls it. */
  os: string;
  given: unknown;
  expected: unknown;
};

/** What our engine makes of a case, in the shape of `expected`: it passes when both are the same JSON. */
export type Kind = (one: Case) => unknown;

/** The cases of a JSON Lines file. */
export function casesOf(file: string): Case[] {
  return file
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, at) => {
      // The files are the peers' own cases, re-encoded; a kind reads the members that its cases have.
      const { kind = 'remediation', case: name = `line ${at + 1}`, os = '', ...rest } = JSON.parse(line);
      return {
        kind,
        name,
        os,
        given: rest.given ?? { running: rest.running, generated: rest.generated },
        expected: rest.expected ?? rest.remediation,
      };
    });
}
