import type { Session } from './configured-device.ts';
import type { Mood } from './moods.ts';
import type { Script } from './script.ts';

/** Lines of a page. */
const PAGE = 24;

/** The line that a shell writes to, and to which it reports the commands that it reads. */
export type Line = { write: (bytes: Buffer) => void; hangUp: () => void; heard: (command: string) => void };

type Account = { username: string; password: string; enable: string };

/**
 * A shell of a simulated device. Any device knows, beside its own version: `show lines`, `show trap` (a line like the
 * prompt in the middle), `show slow`, `show utf8`, `show question`, `show hang`, `show drop`, `show count <n>`.
 *
 * @param session with a device that has a configuration; it is asked first
 * @returns what it does with bytes that are typed
 */
export function openShell(
  script: Script,
  mood: () => Mood,
  { write, hangUp, heard }: Line,
  account: Account,
  session: Session | null = null,
) {
  const eol = script.eol ?? '\r\n';
  let typed = '';
  let privileged = script.exec === undefined;
  let paging = script.pager !== undefined;
  let count = 1;
  let landed = script.landing === undefined;
  let requested = 0;
  /** What the next typed line or key is for. */
  let expects: 'command' | 'login' | 'password' | 'enable' | 'answer' | 'page' | 'question' | 'nothing' =
    'command';
  let pages: string[] = [];
  let queue: Promise<void> = Promise.resolve();
  let gone = false;
  let stopped = false;
  let last = '';
  /** What counts once it is applied; null: not in the mode. */
  let candidate: string[] | null = null;

  const send = (text: string) => {
    queue = queue.then(() => trickle(Buffer.from(text, 'utf8')));
  };
  const trickle = async (bytes: Buffer) => {
    const { chunk = bytes.length, gapMs = 0 } = mood();
    for (let at = 0; at < bytes.length && !gone; at += chunk) {
      write(bytes.subarray(at, at + chunk));
      if (gapMs > 0) await sleep(gapMs);
    }
  };
  const pause = (ms: number) => {
    queue = queue.then(() => sleep(ms));
  };
  const promptText = () => {
    if (!landed) return script.landing?.prompt ?? '';
    if (candidate) return mood().config?.prompt ?? '';
    const configuring = session?.prompt();
    if (configuring) return configuring;
    const text = privileged ? script.prompt : (script.exec ?? script.prompt);
    return told(text);
  };
  /** A text with its counter, or a clock on which each command takes seven seconds. */
  const told = (text: string) =>
    text.replace('%n', String(count)).replace('%t', new Date(count * 7000).toISOString().slice(11, 19));
  const prompt = () => {
    expects = 'command';
    const above = session?.above() ?? script.above;
    if (landed && above) send(`${eol}${told(above)}${eol}`);
    send(promptText());
  };
  const out = (text: string) => send(`${script.preamble ?? ''}${text}`.replaceAll('\r\n', eol));

  const page = () => {
    const { pager } = script;
    if (!pager || !(paging || mood().pages)) {
      send(pages.join(''));
      pages = [];
      return prompt();
    }
    send(pages.splice(0, PAGE).join(''));
    if (pages.length === 0) return prompt();
    expects = 'page';
    send(pager.text);
  };

  const long = (lines: readonly string[]) => {
    if (script.preamble) out('');
    pages = lines.map((line) => `${line}${eol}`);
    page();
  };

  /** Whether a command was one of the configuration's; then it is answered. */
  const configures = (command: string): boolean => {
    const { config } = mood();
    if (!config) return false;
    if (command === config.show) long(config.running);
    else if (!candidate && command === config.enter) candidate = [...config.running];
    else if (!candidate) return false;
    else if (command === 'hang') expects = 'nothing';
    else if (command === 'drop') queue = queue.then(() => sleep(20)).then(hangUp);
    else if (command === config.leave) candidate = null;
    else if (command === config.abandon) candidate = [...config.running];
    else if (command.startsWith('refused saying ')) {
      const said = command.split(' ').at(-1)?.replaceAll('_', ' ');
      out(`${script.invalid.trimEnd()} before '${said}'\r\n`);
    } else if (command.startsWith('refused') || (command === config.apply && candidate.includes('clash')))
      out(script.invalid);
    else if (command === config.apply) config.running = candidate;
    else if (command !== config.check) {
      const gone = command.replace(/^no /, '');
      candidate = candidate.filter((one) => one !== gone);
      if (gone === command) candidate.push(command);
      if (!config.apply) config.running = candidate;
    }
    if (command !== config.show && command !== 'hang' && command !== 'drop') prompt();
    return true;
  };

  /** Whether a command was one of the session with a configured device; then it is answered. */
  const isAnswered = (command: string): boolean => {
    const reply = privileged && session?.run(command);
    if (!reply) return false;
    const { delayMs = 0 } = mood();
    if (delayMs > 0) pause(delayMs);
    if (reply.lines.length > 0) long(reply.lines);
    else {
      if (reply.rejected) out(script.invalid);
      prompt();
    }
    return true;
  };

  const run = (line: string) => {
    const command = line.trim();
    heard(command);
    count += 1;
    if (command === '') return prompt();
    if (!landed) {
      landed = command === script.landing?.command;
      return prompt();
    }
    if (script.enable === command && !privileged) {
      expects = 'enable';
      return send('Password: ');
    }
    if (isAnswered(command)) return;
    if (/^(?:exit|quit|logout|bye)$/.test(command)) return leave();
    const { delayMs = 0 } = mood();
    if (delayMs > 0) pause(delayMs);
    if (script.off?.test(command)) {
      paging = false;
      return prompt();
    }
    if (script.quiet?.test(command)) return prompt();
    const trap = promptText().replace(/%n/, '7');
    if (configures(command)) return;
    switch (command) {
      case 'show version':
        out(`${script.version}\r\nuptime is 3 weeks\r\n`);
        return prompt();
      case 'show lines':
        return long(numbered(300));
      case 'show trap':
        out(`before\r\n${trap}\r\n${trap}show version\r\nafter\r\n`);
        return prompt();
      case 'show slow':
        for (let part = 0; part < 4; part++) {
          send(`part ${part} of`);
          pause(12);
          send(` four${eol}`);
          pause(25);
        }
        return prompt();
      case 'show utf8':
        queue = queue.then(() => bytewise(Buffer.from(`Zürich → 東京 ✓${eol}`, 'utf8')));
        return prompt();
      case 'show latin1':
        queue = queue.then(() => void write(Buffer.from(`Z\xfcrich${eol}`, 'latin1')));
        return prompt();
      case 'show question':
        expects = 'question';
        return send('Proceed with reload? [confirm]');
      case 'show hang':
        expects = 'nothing';
        return out('so far\r\nand no');
      case 'show drop':
        expects = 'nothing';
        out('half of it\r\nand');
        queue = queue.then(() => sleep(20)).then(hangUp);
        return;
      default:
    }
    const many = /^show count (\d+)$/.exec(command);
    if (many) return long(numbered(Number(many[1])));
    out(script.invalid);
    return prompt();
  };

  const bytewise = async (bytes: Buffer) => {
    for (const byte of bytes) {
      write(Buffer.of(byte));
      await sleep(1);
    }
  };

  const leave = () => {
    gone = true;
    hangUp();
  };

  const entered = (line: string) => {
    switch (expects) {
      case 'login':
        expects = 'password';
        return send('Password:');
      case 'password':
        if (line !== account.password) {
          send(`${eol}Login incorrect${eol}`);
          queue = queue.then(hangUp);
          return;
        }
        send(eol);
        return begin();
      case 'enable':
        send(eol);
        privileged = line === account.enable;
        if (!privileged) send(`% Access denied${eol}`);
        return prompt();
      case 'answer': {
        send(eol);
        requested += 1;
        return begin();
      }
      case 'question':
        send(eol);
        return prompt();
      case 'nothing':
        return;
      default:
        return run(line);
    }
  };

  const begin = () => {
    if (mood().silent) {
      expects = 'nothing';
      return;
    }
    const question = script.asks?.[requested];
    if (question) {
      expects = 'answer';
      send(question.text);
    } else prompt();
  };

  send(script.motd ?? '');
  if (script.inBand) {
    expects = 'login';
    send('User: ');
  } else begin();

  const secret = () => expects === 'password' || expects === 'enable';
  return {
    typed(bytes: Buffer) {
      for (const key of bytes.toString('utf8')) {
        const before = last;
        last = key;
        if (key === '\u0003') {
          typed = '';
          stopped = true;
          send(`^C${eol}`);
          prompt();
        } else if (expects === 'page') {
          send(script.pager?.wipe ?? '');
          if (key === 'q') pages = [];
          page();
        } else if (
          expects === 'answer' &&
          key !== '\n' &&
          key !== '\r' &&
          script.asks?.[requested]?.answer.test(key)
        ) {
          entered(key);
        } else if (key === '\n' || key === '\r') {
          if (key === '\n' && before === '\r') continue;
          if (key !== '\r' && script.enter === '\r') continue;
          const line = typed;
          typed = '';
          if (expects === 'command' && !mood().mute) {
            send(script.echo ? script.echo(promptText(), line) : '');
          }
          if ((expects === 'command' && !mood().unended) || expects === 'login') send(eol);
          entered(line);
        } else {
          typed += key;
          if (!mood().mute && !secret() && !(expects === 'command' && script.echo)) send(key);
        }
      }
    },
    ended: () => {
      gone = true;
      session?.close();
    },
    wasStopped: () => stopped,
  };
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1} of ${count}`);

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
