import type { NewCommit } from './ports.ts';

/** Quotes a path for fast-import. */
const quotedPath = (path: string) =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

/** Names and addresses must not hold what ends them. */
const person = ({ name, email }: NewCommit['author']) =>
  `${name.replace(/[<>\n\0]/g, ' ').trim() || 'unknown'} <${email.replace(/[<>\s\0]/g, '')}>`;

const COMMITTER = { name: 'Switchyard', email: 'switchyard@localhost' };

/**
 * Returns the input of `git fast-import` for commits on a branch.
 *
 * @param ref full name of the branch, such as refs/heads/main
 * @param head the commit that the first one follows; null: it is the first of the repository
 */
export function* fastImport(
  ref: string,
  head: string | null,
  commits: readonly NewCommit[],
): Generator<string> {
  for (const [at, { message, author, time, files }] of commits.entries()) {
    const when = `${Math.floor(time / 1000)} +0000`;
    yield `commit ${ref}\nmark :${at + 1}\nauthor ${person(author)} ${when}\ncommitter ${person(COMMITTER)} ${when}\n`;
    yield data(message);
    if (at === 0 && head !== null) yield `from ${head}\n`;
    for (const [path, text] of files) {
      if (text === null) yield `D ${quotedPath(path)}\n`;
      else yield `M 100644 inline ${quotedPath(path)}\n${data(text)}`;
    }
    yield '\n';
  }
  yield 'done\n';
}
