import { expect, test } from 'vitest';
import { isLong } from '../helpers/long.ts';
import { hasShape, missingPrograms, runSteps, stepsIn } from './guide-runner.ts';

const PAGE = `
\`\`\`
$ not run
\`\`\`

\`\`\`sh
$ NAME=edge-1
$ echo "$NAME" \\
    and more
edge-1 and …
\`\`\`

\`\`\`sh
$ cat <<'END'
text
END
text
$ echo 6b033de5cfbe12132d3e2d9e
6b0000000000000000000000
\`\`\`
`;

test('a guide is read as its requests with the answers below them', () => {
  expect(stepsIn(PAGE)).toEqual([
    { line: 7, request: 'NAME=edge-1', expected: '' },
    { line: 8, request: 'echo "$NAME" \\\n    and more', expected: 'edge-1 and …\n' },
    { line: 14, request: "cat <<'END'\ntext\nEND", expected: 'text\n' },
    { line: 18, request: 'echo 6b033de5cfbe12132d3e2d9e', expected: '6b0000000000000000000000\n' },
  ]);
});

test('a here-document may hold variables, and its request may continue after its end mark', () => {
  const page = '```sh\n$ tr a b <<END | head -1\na $NAME\nEND\nb …\n$ cat <<< "$NAME"\n```';
  expect(stepsIn(page)).toEqual([
    { line: 2, request: 'tr a b <<END | head -1\na $NAME\nEND', expected: 'b …\n' },
    { line: 6, request: 'cat <<< "$NAME"', expected: '' },
  ]);
});

test('a request continues until its quotes are closed', () => {
  const page = '```sh\n$ echo \'{\n  "name": "it"\n}\' | jq .\nanswer\n$ echo "it\'s \\"\nso"\nso\n```';
  expect(stepsIn(page)).toEqual([
    { line: 2, request: 'echo \'{\n  "name": "it"\n}\' | jq .', expected: 'answer\n' },
    { line: 6, request: 'echo "it\'s \\"\nso"', expected: 'so\n' },
  ]);
});

test('an answer has the shape of another where only ids, hashes, times and elided parts differ', () => {
  const id = '6b033de5cfbe12132d3e2d9e';
  expect(hasShape(`{"id":"${id}","n":2,…}`, '{"id":"6b0000000000000000000001","n":2,"m":[3]}\n')).toBe(true);
  expect(hasShape(`{"id":"${id}","n":2,…}`, '{"id":"6b0000000000000000000001","n":3,"m":[3]}\n')).toBe(false);
  expect(hasShape('first\n…\nlast', 'first\nsecond\nlast')).toBe(true);
  expect(hasShape('first\nlast', 'first\nsecond\nlast')).toBe(false);
});

test.skipIf(missingPrograms().length > 0)(
  'steps share one shell, and those that fail are reported',
  async () => {
    const replace = ['edge-1', 'edge-2'] as const;
    const run = (page: string) => runSteps(stepsIn(page), { replace, timeoutMs: 20_000 });
    expect(await run(PAGE.replace('edge-1 and', 'edge-2 and'))).toEqual([]);
    expect(await run(PAGE)).toMatchObject([{ line: 8, output: 'edge-2 and more' }]);
    expect(await run('```sh\n$ false\n$ true\n```')).toMatchObject([{ line: 2, request: 'false' }]);
  },
);

test.skipIf(!isLong || missingPrograms().length > 0)(
  'a request that does not end is named with what went wrong before it, and leaves nothing running behind',
  async () => {
    const page =
      '```sh\n$ sleep 60 &\n$ echo no\nyes\n$ echo waits; until false; do sleep 0.1; done\n$ true\n```';
    const ending = runSteps(stepsIn(page), { replace: ['a page', 'a page'], timeoutMs: 2000 });
    await expect(ending).rejects.toThrow(
      /after 2 of 4 requests.*"line": 3.*"output": "no".*"output": "waits"/s,
    );
  },
  20_000,
);
