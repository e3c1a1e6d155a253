import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const SOURCES = 'web/src';
/** Where a source names parameters of the address: what it takes from it, and what it writes into it. */
const NAMED = [
  /\[\{([^}]*)\}(?:, \w+)?\] = useUrlState\(\)/g,
  /const \{([^}]*)\} = url;/g,
  /\(\{([^}]*)\}: (?:UrlState|Record<string, string>|Pick<UrlState, [^>]*>)[,)]/g,
  /setUrl\(\{([^}]*)\}\)/g,
];
const OF_URL = /\burl\.(\w+)/g;
const IMPORTED = /(?:from|import\()\s*'([^']+)'/g;

/** Returns the names of a list such as `q, state: wanted, tab = ''`. */
const namesIn = (list: string): string[] =>
  list
    .replaceAll(/\[[^\]]*\]\.[^,]*/g, '')
    .split(',')
    .map((one) => /^\s*'?([\w-]+)'?\s*(?:[:=]|$)/.exec(one)?.[1] ?? '')
    .filter(Boolean);

/** Returns the parameters of the address that one source reads or writes. */
function namesOf(source: string): string[] {
  if (!/useUrlState|UrlState|Record<string, string>/.test(source)) return [];
  const found = NAMED.flatMap((pattern) =>
    [...source.matchAll(pattern)].flatMap(([, list = '']) => namesIn(list)),
  );
  const ofUrl = [...source.matchAll(OF_URL)].map(([, name = '']) => name);
  return [...found, ...ofUrl];
}

/** Returns the sources that one imports, of the console alone. */
function importsOf(source: string, file: string): string[] {
  return [...source.matchAll(IMPORTED)]
    .map(([, path = '']) =>
      path.startsWith('~/') ? join(SOURCES, path.slice(2)) : join(dirname(file), path),
    )
    .filter((path) => path.startsWith(SOURCES) && /\.tsx?$/.test(path) && existsSync(path));
}

/** Returns the parameters of the address that a page and all of its parts read or write. */
async function searchParametersOf(file: string): Promise<string[]> {
  const seen = new Set([file]);
  const names = new Set<string>();
  for (const one of seen) {
    if (one.startsWith(`${SOURCES}/app/`)) continue;
    const source = await readFile(one, 'utf8');
    for (const name of namesOf(source)) names.add(name);
    for (const path of importsOf(source, one)) seen.add(path);
  }
  return [...names].sort();
}

/** A route with the source of its page, which its import names, or one at the top of the file. */
const ROUTE =
  /path: '([^']+)',\s*search: \[[^\]]*\],\s*load: async \(\) =>\s*(?:\(await import\('\.\/([^']+)'\))?/g;
const AT_THE_TOP = /from '\.\/(.+-page\.tsx)'/;

/** Returns the names of the parameters of the address that each page reads or writes, by its route. */
export async function searchParameters(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const area of await readdir(`${SOURCES}/screens`)) {
    const folder = `${SOURCES}/screens/${area}`;
    const text = await readFile(`${folder}/routes.ts`, 'utf8').catch(() => '');
    for (const [, route = '', file = AT_THE_TOP.exec(text)?.[1]] of text.matchAll(ROUTE))
      found.set(route, await searchParametersOf(`${folder}/${file}`));
  }
  return found;
}
