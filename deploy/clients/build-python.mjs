/**
 * Writes a Python client, one file that needs only the standard library of Python 3.9, from the OpenAPI document:
 * `node --import tsx deploy/clients/build-python.mjs FILE [URL]`. With a URL, such as `https://switchyard.example`, from the
 * service that runs there, else from these sources.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const RUNTIME = new URL('python/client.py', import.meta.url);
const RESERVED = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda None nonlocal not or pass raise return True False try while with yield self body query headers timeout'.split(
    ' ',
  ),
);

const snake = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
const safe = (name) => (RESERVED.has(snake(name)) ? `${snake(name)}_` : snake(name));
const classNameOf = (area) => area.charAt(0).toUpperCase() + area.slice(1);

const [, , file, url] = process.argv;
if (!file) {
  process.stderr.write('name a file: node --import tsx deploy/clients/build-python.mjs FILE [URL]\n');
  process.exit(64);
}
writeFileSync(file, pythonOf(await readDocument(url)));

/** @param {string | undefined} base */
async function readDocument(base) {
  if (base === undefined) {
    const { openApiText } = await import('#server/http/openapi/document.ts');
    return JSON.parse(openApiText());
  }
  const from = `${base.replace(/\/+$/, '')}/openapi.json`;
  const failed = (why) => {
    process.stderr.write(
      `${from} ${why}: name a service that runs, or no address for that of these sources\n`,
    );
    process.exit(1);
  };
  const answer = await fetch(from).catch(({ message, cause }) =>
    failed(`cannot be read (${cause?.message ?? message})`),
  );
  if (!answer.ok) failed(`answered ${answer.status}`);
  return answer.json().catch(() => failed('is no JSON'));
}

/** Returns the text of the client: its runtime, then one class for each area. */
function pythonOf(document) {
  const areas = new Map();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!operation.operationId) continue;
      const [area, ...rest] = operation.operationId.split('_');
      const list = areas.get(area) ?? [];
      areas.set(area, list);
      list.push(methodOf(rest.join('_'), method, path, operation));
    }
  }
  const names = [...areas.keys()].sort();
  const classes = names.map(
    (area) =>
      `class ${classNameOf(area)}(_Area):\n    """Operations of ${area}."""\n\n${areas.get(area).join('\n')}`,
  );
  const members = names.map((area) => `        self.${snake(area)} = ${classNameOf(area)}(self)`);
  return readFileSync(RUNTIME, 'utf8')
    .replace('# {release}', `RELEASE = ${JSON.stringify(document.info.version)}`)
    .replace('# {areas}', classes.join('\n\n'))
    .replace('        # {members}', members.join('\n'));
}

function methodOf(name, method, path, { summary = '', parameters = [], requestBody, deprecated }) {
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map((parameter) => parameter.name);
  const inQuery = parameters
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => parameter.name);
  const given = inPath.map((parameter) => `${safe(parameter)}: str`);
  const hasBody = requestBody !== undefined;
  const signature = ['self', ...given, ...(hasBody ? ['body: Any = None'] : []), '*', '**query: Any'].filter(
    (part) => part !== '*',
  );
  const values = inPath.map((parameter) => `${JSON.stringify(parameter)}: ${safe(parameter)}`);
  const notes = [
    ...(inQuery.length > 0 ? [`Options: ${inQuery.join(', ')}.`] : []),
    ...(deprecated ? ['Deprecated.'] : []),
  ];
  const text = [`${summary}.`, ...notes]
    .join('\n\n        ')
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', "'''");
  return `    def ${safe(name)}(${signature.join(', ')}) -> Any:
        """${text}"""
        return self._client.request(${JSON.stringify(method.toUpperCase())}, ${JSON.stringify(path)}, {${values.join(', ')}}, query, ${hasBody ? 'body' : 'None'})
`;
}
