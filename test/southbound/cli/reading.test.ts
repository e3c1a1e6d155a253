import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DRIVERS } from '#server/platforms/index.ts';
import { compileDrivers } from '#server/southbound/cli/driver.ts';
import { openOutputBudget } from '#server/southbound/cli/reading/output-budget.ts';
import { learnPrompt } from '#server/southbound/cli/reading/prompt.ts';
import { isQuestion, PAGERS } from '#server/southbound/cli/reading/questions.ts';
import { openQuiet } from '#server/southbound/cli/reading/quiet-period.ts';
import { openScreen } from '#server/southbound/cli/reading/screen.ts';
import { openTerminal } from '#server/southbound/cli/reading/terminal.ts';
import type { Wire } from '#server/southbound/cli/reading/wire.ts';
import { runCommand, type Session } from '#server/southbound/cli/sessions/session.ts';
import { lawRuns } from '../../helpers/long.ts';

const MOST = 1_000_000;

/** What a person would read of bytes that come in these pieces. */
function readOf(pieces: readonly Buffer[]) {
  const screen = openScreen(MOST);
  for (const piece of pieces) screen.feed(piece);
  return { lines: screen.take().lines, line: screen.line() };
}
const shown = (text: string) => readOf([Buffer.from(text)]);

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '\r\n',
    '\r',
    '\n',
    '\r\r\n',
    '\b',
    '\b \b',
    '\t',
    '\0',
    '\u001b[K',
    '\u001b[42D',
    '\u001b[2A',
    '\u001b[2K',
    '\u001b[7m',
    '\u001b[24;1H',
    '\u001b[2J',
    '\u001bE',
    '\u001b(B',
    '\u001b]0;title\u0007',
    '\u001b[?2004h',
    '--More--',
    '\u001b',
    '\u001b[',
  ),
);
const stream = fc
  .array(
    fc.oneof(
      piece.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((raw) => Buffer.from(raw)),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.concat(parts));

test('the text that is read does not depend on how the bytes are split', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(), { maxLength: 30 }), (bytes, places) => {
      const whole = readOf([bytes]);
      expect(readOf(cut(bytes, places))).toEqual(whole);
      expect(readOf([...bytes].map((byte) => Buffer.of(byte)))).toEqual(whole);
    }),
    lawRuns(500),
  );
});

test('text without control characters is read unchanged, in UTF-8 or byte by byte', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.string({ unit: 'grapheme' }).filter((text) => !/\p{Cc}/u.test(text) && text.isWellFormed()),
      ),
      (texts) => {
        expect(shown(texts.map((text) => `${text}\r\n`).join('')).lines).toEqual(texts);
      },
    ),
  );
  expect(readOf([Buffer.from('Z\xfcrich\n', 'latin1')]).lines).toEqual(['Zürich']);
});

test.each([
  [
    'a pager that takes its line away with backspaces',
    ` --More-- ${'\b'.repeat(10)}${' '.repeat(10)}${'\b'.repeat(10)}next\r\n`,
    ['next'],
  ],
  ['one that erases to the end of the line', '--More--\r\u001b[Knext\r\n', ['next']],
  [
    'one that goes back by columns',
    `  ---- More ----\u001b[16D${' '.repeat(16)}\u001b[16Dnext\r\n`,
    ['next'],
  ],
  ['a line that is written over by a shorter one', 'abcdef\rxy\r\n', ['xycdef']],
  ['line ends of every kind', 'a\r\nb\r\r\nc\n\rd\n', ['a', 'b', 'c', 'd']],
  [
    'titles, charsets and colours',
    '\u001b]0;x\u0007\u001b(B\u001b[1;32mgreen\u001b[0m\u001b=\r\n',
    ['green'],
  ],
  ['blanks that the device sent itself', 'name   \r\n', ['name   ']],
])('%s leaves the text that a terminal would show', (_, bytes, lines) => {
  expect(shown(bytes).lines).toEqual(lines);
});

test('output beyond the limit is cut off and reported', () => {
  const screen = openScreen(20);
  screen.feed(Buffer.from('0123456789\n0123456789\nshort\nprompt#'));
  expect(screen.line()).toBe('prompt#');
  expect(screen.take()).toEqual({ lines: ['0123456789'], truncated: true });
  expect(screen.take().truncated).toBe(false);
});

const drivers = compileDrivers(DRIVERS);
const ios = drivers.get('cisco_ios') ?? never();
function never(): never {
  throw new Error('there is no such driver');
}

/** A device that writes its answers in pieces, with pauses; it reads the next command only at its prompt. */
function slowDevice(
  answers: Readonly<Record<string, string>>,
  places: readonly number[],
  pauses: readonly number[],
) {
  let tell: (bytes: Buffer) => void = () => undefined;
  let busy = Promise.resolve();
  const wire: Wire = {
    facts: {
      algorithms: { kex: '', serverHostKey: '', cipher: '', mac: '' },
      hostKey: { algorithm: '', fingerprint: '' },
      ident: '',
      banner: '',
    },
    write(text) {
      busy = busy.then(async () => {
        const command = text.trim();
        const pieces = cut(Buffer.from(`${command}\r\n${answers[command] ?? ''}r1#`), places);
        for (const [index, bytes] of pieces.entries()) {
          if (bytes.length > 0) tell(bytes);
          const pause = pauses[index % Math.max(1, pauses.length)] ?? 0;
          if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
        }
      });
    },
    onData: (listener) => {
      tell = listener;
    },
    onClose: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
  const quiet = openQuiet();
  quiet.roundTrip(1);
  const terminal = openTerminal(wire, quiet, MOST, openOutputBudget(Number.MAX_SAFE_INTEGER));
  tell(Buffer.from('r1#'));
  const session: Session = {
    terminal,
    quiet,
    driver: ios,
    prompt: learnPrompt(ios, 'r1#'),
    echoes: true,
    count: 0,
  };
  return session;
}

test('what a command answers does not depend on where the stream is cut or delayed', async () => {
  const line = fc.oneof(
    fc.constantFrom('r1#', 'r1#show b', 'r1', '--More', 'Continue', 'é → 東', '', '% not this'),
    fc.stringMatching(/^[a-z ]{1,20}$/),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(), { maxLength: 6 }),
      fc.array(fc.constantFrom(0, 0, 1, 2, 3), { maxLength: 4 }),
      async (lines, places, pauses) => {
        const text = `begin\r\n${lines.map((one) => `${one}\r\n`).join('')}end\r\n`;
        const session = slowDevice({ 'show a': text, 'show b': 'b\r\n' }, places, pauses);
        const outputs: string[] = [];
        for (const command of ['show a', 'show b', 'show a']) {
          const { output, late, ended } = await runCommand(session, command, { ms: 5000 });
          expect(ended).toBe('prompt');
          expect(late).toEqual([]);
          outputs.push(output);
        }
        const wanted = `begin\n${lines.join('\n')}\nend`;
        expect(outputs).toEqual([wanted, 'b', wanted]);
      },
    ),
    lawRuns(40),
  );
});

test('a line like the prompt that is cut off and continues much later is put where it belongs', async () => {
  const text = 'begin\r\nr1#\r\nend\r\n';
  const at = 'show a\r\nbegin\r\nr1#'.length;
  const session = slowDevice({ 'show a': text, 'show b': 'b\r\n' }, [at], [120]);
  const first = await runCommand(session, 'show a', { ms: 5000 });
  const second = await runCommand(session, 'show b', { ms: 5000 });
  expect(first.output).toBe('begin');
  expect({ late: second.late, output: second.output }).toEqual({ late: ['', 'end'], output: 'b' });
});

test('a line that is too long is cut and reported as truncated, and the lines behind it are kept', () => {
  const screen = openScreen(4_000_000);
  for (let piece = 0; piece < 40; piece++) screen.feed(Buffer.from('x'.repeat(65_536)));
  screen.feed(Buffer.from('\r\nbehind\r\n'));
  const { lines, truncated } = screen.take();
  expect(lines.map(({ length }) => length)).toEqual([1_000_000, 6]);
  expect([truncated, screen.take().truncated]).toEqual([true, false]);
});

test.each([
  '--More or (q)uit current module or <ctrl-z> to abort',
  '--More-- or (q)uit',
  "---- More ( Press 'Q' to break ) ----",
  '----More (q=Quit, space/return=Continue)----',
  'CTRL+C ESC q Quit SPACE n Next Page ENTER Next Entry a All',
  '<SPACE> for next page, <CR> for next line, A for all, Q to quit',
  '- More ? [<SP>,<CR>,Q]',
  '[Press space to continue, q to quit, n to next] ',
  'Press <SPACE> to continue or <Q> to quit: ',
  '<press enter to continue>',
  'log (press h for help or q to quit)',
])('%j is a pager, not a question', (line) => {
  expect(PAGERS.some(({ finds }) => finds(line))).toBe(true);
});

test.each([
  'Continue? [Y/N]',
  'Proceed with reload? [confirm]',
  'Destination filename [startup-config]? ',
  'Type yes to continue: ',
])('%j is a question, not a pager', (line) => {
  expect([PAGERS.some(({ finds }) => finds(line)), isQuestion(line)]).toEqual([false, true]);
});

test('a typed line that the device continues in the next row is one line, and a blank that it ends with is kept', () => {
  const row = 'a'.repeat(80);
  expect(shown(`${row} \r${row} \rb\r\n`).lines).toEqual([`${row}${row}b`]);
  expect(shown(`${row} \r\nb\r\n`).lines).toEqual([`${row} `, 'b']);
  expect(shown(`${row.slice(1)} \rb\r\n`).lines).toEqual([`b${row.slice(2)}`]);
});

/** What editors of lines with a toolbar send (prompt_toolkit 3): rows below the prompt, then the cursor moves up to it. */
const TOOLBAR =
  '\u001b[0;1mA:dev1#\u001b[0m\r\r\r\n\r\r\r\n\u001b[7mCurrent mode: running\u001b[0m\u001b[21D\u001b[2A\u001b[8C';

test('a prompt above a toolbar is the line at the cursor, and the toolbar is no output', () => {
  expect(shown(`Welcome\r\n${TOOLBAR}`)).toEqual({ lines: ['Welcome'], line: 'A:dev1#' });
  const typed = '\u001b[8D\u001b[J\u001b[0;1mA:dev1# \u001b[0mshow version\u001b[20D\r\r\r\n\u001b[J';
  expect(shown(`${TOOLBAR}${typed}Version 15.2\r\r\r\n\u001b[J${TOOLBAR}`)).toEqual({
    lines: ['A:dev1# show version', 'Version 15.2'],
    line: 'A:dev1#',
  });
});

test('rows that are drawn again replace what they showed, and those that are not stay', () => {
  const drawn = 'slot 1: 10 %\r\nslot 2: 10 %\r\nslot 3: 10 %\r\n';
  expect(shown(`${drawn}\u001b[3Aslot 1: 99 %\r\n\r\nslot 3: 55 %\r\nedge-1#`)).toEqual({
    lines: ['slot 1: 99 %', 'slot 2: 10 %', 'slot 3: 55 %'],
    line: 'edge-1#',
  });
  // Rows above what is kept cannot be reached: the first one is.
  expect(shown('one\r\ntwo\u001b[9A\rONE\r\nedge-1#')).toEqual({ lines: ['ONE'], line: 'edge-1#' });
  expect(shown('\u001b[9999999Aedge-1#')).toEqual({ lines: [], line: 'edge-1#' });
});
