import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

/** Fields that may hold secrets in a log line. */
const SECRET = new Set([
  'password',
  'passwd',
  'passphrase',
  'secret',
  'token',
  'apiKey',
  'privateKey',
  'authorization',
  'cookie',
]);

/** How many objects deep in a field of a line secrets are looked for. */
const DEPTH = 2;

/**
 * Opens a log of JSON lines on standard error, or on `destination`; at a terminal the lines are formatted and coloured.
 * Errors are logged with type, message and stack, never with the parameters of a failed statement: those are documents
 * and may be secrets.
 *
 * @param level lowest level that is written, by pino's names, such as `info`
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const isTerminal = destination === undefined && process.stderr.isTTY;
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        // The redaction of pino takes ten times as long as all else that a line needs, and each request writes a line.
        log: (fields) => withoutSecrets(fields, DEPTH),
      },
      serializers: { err: (error: unknown) => (error instanceof Error ? withoutQuery(error) : error) },
      hooks: { streamWrite: isTerminal ? escapeForTerminal : escapeUnprintable },
    },
    isTerminal
      ? pino.transport({
          target: 'pino-pretty',
          options: { destination: 2, translateTime: 'SYS:HH:MM:ss.l' },
        })
      : (destination ?? openStandardError()),
  );
}

/** Characters of lines that wait while they cannot be written. */
const MOST_WAITING = 4 * 1024 * 1024;

/** A file of the log whose disk is full ends no process: lines wait until there is room, and later ones are lost. */
function openStandardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: true, maxLength: MOST_WAITING });
  stream.on('error', () => undefined);
  return stream;
}

/** Characters that JSON allows and terminals act on: DEL, C1 controls, separators, and text direction controls. */
const CONTROL_CHARACTERS =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Escapes characters in a log line, which is JSON, that could change how it is displayed. JSON itself escapes line ends
 * and the other controls; the meaning of the line stays the same.
 *
 * @returns the line, for standard error
 */
export const escapeUnprintable = (line: string): string => line.replace(CONTROL_CHARACTERS, escaped);

/**
 * Escapes the same characters in lines that are decoded before they are displayed: escapes of controls are doubled,
 * so that decoding yields the escape and not the control. Line ends and tabs of stacks are kept.
 *
 * @returns the line, for a formatter
 */
export const escapeForTerminal = (line: string): string =>
  line
    .replace(/\\(?:u00[01][0-9a-f]|[rbf]|.)/g, (found) => (/^\\[urbf]/.test(found) ? `\\${found}` : found))
    .replace(CONTROL_CHARACTERS, (char) => `\\${escaped(char)}`);

/**
 * Returns the fields with asterisks in place of secrets: a copy, unless there are none.
 *
 * @param deeper how many objects deep in them secrets are looked for
 */
function withoutSecrets(fields: Record<string, unknown>, deeper: number): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    let shown = value;
    if (SECRET.has(name)) shown = '********';
    // Of an error under this name, `withoutQuery` chooses what is written.
    else if (name === 'err' && value instanceof Error) continue;
    else if (typeof value === 'object' && value !== null && deeper > 0)
      shown = withoutSecrets(value as Record<string, unknown>, deeper - 1);
    if (shown === value) continue;
    copy ??= Array.isArray(fields) ? Object.assign([], fields) : { ...fields };
    (copy as Record<string, unknown>)[name] = shown;
  }
  return copy ?? fields;
}

/**
 * Replaces Drizzle's error, whose message quotes the statement and its parameters, by the driver's error that caused it.
 */
function withoutQuery(error: Error): object {
  const inner = error.cause instanceof Error && 'query' in error ? error.cause : error;
  const { type, message, stack } = stdSerializers.err(inner);
  const { code, constraint_name: constraint } = inner as { code?: string; constraint_name?: string };
  return { type, message, stack, code, constraint };
}

/**
 * Logs the errors that Node would write to standard error, where an operator's tools expect JSON (docs/operations.md):
 * warnings and unhandled rejections. Called once per thread.
 */
export function logProcessErrors(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) =>
    log[warning.name === 'DeprecationWarning' ? 'debug' : 'warn']({ err: warning }, 'warning'),
  );
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'));
}
